#include "runner/cli/selftest/change.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/capture/decoder.h"
#include "runner/capture/encoder.h"
#include "runner/measure/run_folder.h"

namespace perfgate::cli::selftest {
namespace {

using Target = Change::Target;
using Action = Change::Action;

Error nothing_there(const std::string& what) {
  return {.code = ErrorCode::corrupt,
          .message = "a case changes " + what + ", which the recording does not have",
          .hint = "name what is there: perfgate report RUN_FOLDER --format json",
          .context = {}};
}

/// The processes of a role that a change is about: one by its index, or all.
Status for_each_process(const Change& change, ProcessRole role,
                        std::span<const ProcessRecord> processes,
                        const std::function<Status(const ProcessRecord&)>& apply) {
  bool any = false;
  for (const ProcessRecord& process : processes) {
    if (process.role != role) continue;
    if (change.of != "all" && change.of != std::to_string(process.index)) continue;
    any = true;
    PG_TRY(apply(process));
  }
  return any ? Status() : Status(nothing_there("process " + change.of));
}

void append(std::string& file, const capture::Bytes& bytes) {
  file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::string encode(const Capture& capture) {
  capture::Encoder encoder;
  std::string file;
  append(file, encoder.begin({.pid = capture.pid,
                              .parent_pid = capture.parent_pid,
                              .process_start_ticks = capture.process_start_ticks}));
  for (const std::string& text : capture.strings) static_cast<void>(encoder.intern(text));
  append(file, encoder.take_strings());
  append(file, encoder.cupti(capture.cupti_version, capture.cupti_path_kind));
  append(file, encoder.devices(capture.devices));
  append(file, encoder.clocks(capture.clocks));
  append(file, encoder.graph_nodes(capture.graph_nodes));
  append(file, encoder.kernels(capture.kernels));
  append(file, encoder.copies(capture.copies));
  append(file, encoder.memsets(capture.memsets));
  append(file, encoder.api_calls(capture.api_calls));
  append(file, encoder.overheads(capture.overheads));
  append(file, encoder.ranges(capture.ranges));
  append(file, encoder.windows(capture.windows));
  for (const std::string& reason : capture.reasons) append(file, encoder.reason(reason));
  if (capture.complete) append(file, encoder.end(capture.dropped));
  return file;
}

std::size_t share_of(std::size_t whole, double ratio) {
  return static_cast<std::size_t>(static_cast<double>(whole) * std::clamp(ratio, 0.0, 1.0));
}

std::optional<std::uint64_t> count_in(std::string_view text) {
  std::uint64_t count = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc()) return std::nullopt;  // "unknown"
  return count;
}

Result<std::string> changed_capture(const Change& change, std::string bytes) {
  if (change.action == Action::cut) {
    bytes.resize(share_of(bytes.size(), change.number));
    return bytes;
  }
  PG_ASSIGN_OR_RETURN(Capture capture, capture::decode(std::as_bytes(std::span(bytes))));
  if (change.action == Action::dropped) capture.dropped = count_in(change.text);
  if (change.action == Action::empty) {
    capture.kernels.clear();
    capture.copies.clear();
    capture.memsets.clear();
    return encode(capture);
  }
  const std::size_t middle = capture.kernels.size() / 2;
  if (change.action == Action::lose) {
    const auto first = capture.kernels.begin() + static_cast<std::ptrdiff_t>(middle);
    const auto count = std::min(static_cast<std::ptrdiff_t>(change.number),
                                static_cast<std::ptrdiff_t>(capture.kernels.size() - middle));
    capture.kernels.erase(first, first + count);
  }
  if (change.action == Action::stretch) {
    if (capture.kernels.empty()) return nothing_there("a kernel of a capture");
    capture.kernels[middle].end_ns += static_cast<std::int64_t>(change.number);
  }
  return encode(capture);
}

Status change_capture(const Change& change, const ProcessRecord& process, const std::string& folder,
                      OverlayFiles& files) {
  for (const std::string& file : process.capture_files) {
    const std::string path = platform::join_path(folder, file);
    PG_ASSIGN_OR_RETURN(std::string bytes, files.read(path));
    PG_ASSIGN_OR_RETURN(std::string changed, changed_capture(change, std::move(bytes)));
    files.replace(path, std::move(changed));
  }
  return {};
}

Status change_results(const Change& change, const ProcessRecord& process, const std::string& folder,
                      OverlayFiles& files) {
  const std::string path = measure::process_paths(folder, process.index, process.role).results;
  PG_ASSIGN_OR_RETURN(std::string text, files.read(path));
  if (change.action == Action::cut) {
    text.resize(share_of(text.size(), change.number));
  } else {
    const std::string_view key = "\"ms\":";
    const std::size_t at = text.find(key);
    if (at == std::string::npos) return nothing_there("a step of " + path);
    const std::size_t first = at + key.size();
    text.replace(first, text.find('}', first) - first, change.text);
  }
  files.replace(path, std::move(text));
  return {};
}

Status change_process(const Change& change, ProcessRecord& process) {
  if (change.action == Action::state) {
    PG_ASSIGN_OR_RETURN(process.state, process_state_from_string(change.text));
    process.exit_code = 1;
    process.problem = "process " + std::to_string(process.index) + " " + change.text;
    return {};
  }
  if (!process.results) return nothing_there("the work of process " + change.of);
  WorkDone& work = process.results->work;
  if (change.action == Action::marks) {
    process.results->boundary = ProcessResults::Boundary::host;
    for (StepSample& step : process.results->steps) step.ms *= 1.0 + change.number;
  }
  if (change.action == Action::output_hash) work.output_hash = change.text;
  if (change.action != Action::tokens) return {};
  if (!work.tokens) return nothing_there("the tokens of process " + change.of);
  *work.tokens *= 1.0 + change.number;
  return {};
}

Status change_metric(const Change& change, std::vector<MetricValue>& metrics) {
  const auto found = std::ranges::find(metrics, change.of, &MetricValue::id);
  if (found == metrics.end()) return nothing_there("the metric " + change.of);
  const auto each = [&](const auto& apply) {
    apply(found->value);
    for (double& sample : found->samples) apply(sample);
  };
  switch (change.action) {
    case Action::by: each([&](double& value) { value *= 1.0 + change.number; }); break;
    case Action::add: each([&](double& value) { value += change.number; }); break;
    case Action::unit: found->unit = change.text; break;
    case Action::gone: metrics.erase(found); break;
    default:
      found->value = change.number;
      if (!found->samples.empty()) found->samples.front() = change.number;
  }
  return {};
}

}  // namespace

Status change_files(std::span<const Change> changes, const Measurement& recorded,
                    const std::string& folder, OverlayFiles& files) {
  for (const Change& change : changes) {
    const bool of_capture = change.target == Target::capture && change.action != Action::gone;
    if (!of_capture && change.target != Target::results) continue;
    const ProcessRole role = of_capture ? ProcessRole::trace : ProcessRole::timing;
    PG_TRY(for_each_process(change, role, recorded.processes, [&](const ProcessRecord& process) {
      return of_capture ? change_capture(change, process, folder, files)
                        : change_results(change, process, folder, files);
    }));
  }
  return {};
}

Status change_processes(std::span<const Change> changes, Measurement& measurement) {
  for (const Change& change : changes) {
    const bool capture_gone = change.target == Target::capture && change.action == Action::gone;
    if (!capture_gone && change.target != Target::process) continue;
    bool any = false;
    for (ProcessRecord& process : measurement.processes) {
      const bool all_timing = change.of == "all" && process.role == ProcessRole::timing;
      const bool all_traced = change.of == "all" && process.role == ProcessRole::trace;
      const bool named = change.of == std::to_string(process.index);
      if (!named && !(capture_gone ? all_traced : all_timing)) continue;
      any = true;
      if (capture_gone) {
        process.capture_files.clear();
      } else {
        PG_TRY(change_process(change, process));
      }
    }
    if (!any) return nothing_there("process " + change.of);
  }
  return {};
}

Status change_result(std::span<const Change> changes, RunResult& result) {
  Fingerprint& fingerprint = result.measurement.fingerprint;
  for (const Change& change : changes) {
    if (change.target == Target::metric) PG_TRY(change_metric(change, result.metrics));
    const bool instance = change.target == Target::instance;
    if (!instance && change.target != Target::environment) continue;
    auto& fields = instance ? fingerprint.instance : fingerprint.environment;
    if (!fields.contains(change.of)) return nothing_there("the field " + change.of);
    fields[change.of] = change.text;
  }
  return {};
}

}  // namespace perfgate::cli::selftest
