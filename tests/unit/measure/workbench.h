/// What the tests of this room share: a spec, options, ports and a progress that remembers.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runner/capture/encoder.h"
#include "runner/measure/measure.h"

namespace perfgate::measure {

struct RememberingProgress final : Progress {
  std::vector<std::string> phases;
  std::vector<std::string> finished;
  std::vector<std::optional<Arm>> arms;  ///< of each process that was started
  void phase(std::string_view name, int planned) override {
    phases.push_back(std::string(name) + " " + std::to_string(planned));
  }
  void process_started(int /*index*/, ProcessRole /*role*/, std::optional<Arm> arm) override {
    arms.push_back(arm);
  }
  void process_finished(const ProcessRecord& record) override {
    finished.push_back(std::to_string(record.index) + " " + std::string(to_string(record.role)) +
                       " " + std::string(to_string(record.state)));
  }
  void note(std::string_view /*text*/) override {}
};

/// A command workload of `steps` steps, timed by two processes, traced by none.
inline WorkloadSpec command_spec(std::vector<std::string> argv, int steps = 5) {
  WorkloadSpec spec;
  spec.name = "test";
  CommandRun command;
  command.argv = std::move(argv);
  command.timeout_s = 60.0;
  spec.run = command;
  spec.steps = {.range = "decode*", .domain = "", .warmup = 2, .measure = steps};
  spec.timing.processes = {2};
  spec.trace.processes = {0};
  spec.workload_digest = "digest";
  return spec;
}

/// A capture whose `names` started in this order, `gap_ns` apart, on one thread.
struct MadeCapture {
  std::vector<std::string> names;
  std::int64_t gap_ns = 4'000'000;
  bool window = false;
  std::vector<std::string> reasons;
};

inline std::string encode_capture(const MadeCapture& made) {
  capture::Encoder encoder;
  capture::Bytes all = encoder.begin({.pid = 1, .parent_pid = 0, .process_start_ticks = 2});
  const auto append = [&](const capture::Bytes& bytes) {
    all.insert(all.end(), bytes.begin(), bytes.end());
  };
  std::vector<NvtxRange> ranges;
  std::int64_t start_ns = 1'000'000'000;
  for (const std::string& name : made.names) {
    NvtxRange range;
    range.start_ns = start_ns;
    range.end_ns = start_ns + 1000;
    range.name = encoder.intern(name);
    range.thread = 7;
    ranges.push_back(range);
    start_ns += made.gap_ns;
  }
  append(encoder.take_strings());
  if (!ranges.empty()) append(encoder.ranges(ranges));
  if (made.window) {
    const std::vector<CaptureWindow> windows{{.opened_ns = 1, .closed_ns = 2, .opened_by = 0}};
    append(encoder.windows(windows));
  }
  for (const std::string& reason : made.reasons) append(encoder.reason(reason));
  append(encoder.end(0));
  return {reinterpret_cast<const char*>(all.data()), all.size()};
}

inline std::vector<std::string> repeated(const std::string& name, int count) {
  return std::vector<std::string>(static_cast<std::size_t>(count), name);
}

}  // namespace perfgate::measure
