/// Small hand-made captures for the analysis tests: times in ns from an arbitrary origin.
/// Synthetic, not measured.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/analysis/analyze.h"
#include "runner/model/analysis.h"
#include "runner/model/capture.h"
#include "runner/model/timing.h"
#include "runner/model/workload_spec.h"

namespace perfgate::analysis {

/// Builds one capture. Times are relative to `kOrigin`, so that they read small.
class HandMade {
 public:
  static constexpr std::int64_t kOrigin = 1'000'000;

  HandMade() {
    capture.pid = 4242;
    capture.complete = true;
    capture.dropped = 0;
    capture.devices.push_back({.ordinal = 0, .uuid = "GPU-aa", .name = "NVIDIA H200"});
    capture.windows.push_back({.opened_ns = 1, .closed_ns = kOrigin * 1000, .opened_by = 0});
  }

  StringId text(std::string_view value) {
    for (StringId i = 0; i < capture.strings.size(); ++i) {
      if (capture.strings[i] == value) return i;
    }
    capture.strings.emplace_back(value);
    return static_cast<StringId>(capture.strings.size() - 1);
  }

  KernelRecord& kernel(std::int64_t start, std::int64_t end, std::uint32_t correlation = 0,
                       std::string_view name = "ampere_sgemm_128x128_tn",
                       std::uint32_t stream = 7) {
    KernelRecord record;
    record.start_ns = kOrigin + start;
    record.end_ns = kOrigin + end;
    record.name = text(name);
    record.stream = stream;
    record.correlation = correlation;
    capture.kernels.push_back(record);
    return capture.kernels.back();
  }

  KernelRecord& node(std::int64_t start, std::int64_t end, std::uint32_t correlation,
                     std::uint64_t id, std::string_view name = "nvjet_tst_64x8_TNT") {
    KernelRecord& record = kernel(start, end, correlation, name);
    record.graph = 3;
    record.graph_node = id;
    return record;
  }

  void copy(std::int64_t start, std::int64_t end, std::uint32_t correlation = 0,
            std::uint32_t stream = 7) {
    CopyRecord record;
    record.start_ns = kOrigin + start;
    record.end_ns = kOrigin + end;
    record.correlation = correlation;
    record.stream = stream;
    record.kind = CopyKind::device_to_host;
    capture.copies.push_back(record);
  }

  void call(std::int64_t start, std::int64_t end, ApiClass api_class, std::uint32_t correlation = 0,
            std::uint32_t thread = 1) {
    // Ids of calls that no GPU record joins with must differ from those that one does.
    if (correlation == 0) correlation = next_free_++;
    capture.api_calls.push_back({.start_ns = kOrigin + start,
                                 .end_ns = kOrigin + end,
                                 .name = text("call"),
                                 .thread = thread,
                                 .correlation = correlation,
                                 .result = 0,
                                 .api_class = api_class});
  }

  void range(std::int64_t start, std::int64_t end, std::string_view name,
             std::uint32_t thread = 1) {
    capture.ranges.push_back({.start_ns = kOrigin + start,
                              .end_ns = kOrigin + end,
                              .name = text(name),
                              .domain = 0,
                              .thread = thread,
                              .is_push_pop = true});
  }

  void overhead(std::int64_t start, std::int64_t end, std::string_view kind,
                std::uint32_t thread = 1) {
    capture.overheads.push_back({.start_ns = kOrigin + start,
                                 .end_ns = kOrigin + end,
                                 .kind = text(kind),
                                 .thread = thread});
  }

  /// `count` steps of `period` ns: a range, a launch 10 ns in, a kernel from 40 to 40 + busy.
  void steps(int count, std::int64_t period = 1000, std::int64_t busy = 500,
             std::uint32_t first_correlation = 100) {
    for (int i = 0; i < count; ++i) {
      const std::int64_t at = i * period;
      const auto id = first_correlation + static_cast<std::uint32_t>(i);
      range(at, at + period / 2, "decode#" + std::to_string(i));
      call(at + 10, at + 30, ApiClass::kernel_launch, id);
      kernel(at + 40, at + 40 + busy, id);
    }
  }

  Capture capture;

 private:
  std::uint32_t next_free_ = 900'000;
};

inline WorkloadSpec step_spec(int trace_steps = 10) {
  WorkloadSpec spec;
  spec.steps.range = "decode*";
  spec.trace.steps = trace_steps;
  return spec;
}

inline WorkloadSpec plain_spec() { return WorkloadSpec{}; }

inline Analysis analyze_one(const Capture& capture, const WorkloadSpec& spec,
                            const TimingSamples& timing = {}, std::vector<double> traced_ms = {},
                            int first_step = 0) {
  const std::vector<TracedInput> traced{{.process = 5,
                                         .captures = {&capture},
                                         .traced_step_ms = std::move(traced_ms),
                                         .first_captured_step = first_step}};
  auto result =
      analyze({.spec = spec, .traced = traced, .timing = timing, .work = {}, .ceilings = {}});
  if (!result.ok()) {
    Analysis failed;
    failed.capture.reasons.push_back(result.error().message);
    failed.traced.resize(1);
    failed.traced[0].devices.resize(1);
    return failed;
  }
  return std::move(result).value();
}

inline const DeviceWindow& only_device(const Analysis& analysis) {
  return analysis.traced.at(0).devices.at(0);
}

inline std::int64_t family_wall(const DeviceWindow& device, std::string_view family) {
  for (const FamilyTime& time : device.families) {
    if (time.family == family) return time.wall_ns;
  }
  return 0;
}

inline std::int64_t idle_of(const DeviceWindow& device, IdleCause cause) {
  for (const IdleTime& idle : device.idle) {
    if (idle.cause == cause) return idle.total_ns;
  }
  return 0;
}

inline std::int64_t accounted_ns(const DeviceWindow& device) {
  std::int64_t sum = 0;
  for (const FamilyTime& time : device.families) sum += time.wall_ns;
  for (const IdleTime& idle : device.idle) sum += idle.total_ns;
  return sum;
}

}  // namespace perfgate::analysis
