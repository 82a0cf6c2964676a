#include "runner/analysis/traced_process.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "runner/analysis/api_calls.h"
#include "runner/analysis/gaps.h"
#include "runner/analysis/kernel_stats.h"
#include "runner/analysis/launch_calls.h"
#include "runner/analysis/projection.h"
#include "runner/analysis/statistics.h"
#include "runner/analysis/steps.h"
#include "runner/analysis/sweep.h"
#include "runner/analysis/timeline.h"
#include "runner/analysis/validity.h"
#include "runner/analysis/window.h"
#include "runner/analysis/work_sites.h"

namespace perfgate::analysis {
namespace {

std::vector<FamilyTime> family_times(const Timeline& timeline, const SweepResult& swept) {
  std::map<std::string, FamilyTime> families;
  for (std::size_t i = 0; i < swept.details.size(); ++i) {
    const DetailTime& detail = swept.details[i];
    if (detail.count == 0 && detail.sum_ns == 0) continue;
    FamilyTime& family = families[timeline.details[i].family];
    family.family = timeline.details[i].family;
    family.wall_ns += detail.wall_ns;
    family.sum_ns += detail.sum_ns;
    family.count += detail.count;
    family.detail_wall_ns[timeline.details[i].detail] += detail.wall_ns;
  }
  std::vector<FamilyTime> sorted;
  sorted.reserve(families.size());
  for (auto& [name, family] : families) sorted.push_back(std::move(family));
  std::ranges::stable_sort(
      sorted, [](const FamilyTime& a, const FamilyTime& b) { return a.wall_ns > b.wall_ns; });
  return sorted;
}

struct DeviceWork {
  Window window;
  SweepResult swept;
  StreamOrder order;
};

std::string steps_word(StepSource source) {
  switch (source) {
    case StepSource::nvtx: return "nvtx";
    case StepSource::graph_launch: return "graph launch";
    case StepSource::none: return "none";
  }
  return "none";
}

Result<DeviceWindow> device_window(const Timeline& timeline, const DeviceTimeline& device,
                                   std::span<const ProcessSteps> steps, const DeviceWork& work) {
  const GapReport gaps = explain_gaps(timeline, device, work.swept.gaps);
  DeviceWindow result;
  result.uuid = device.uuid;
  result.name = device.name;
  result.window_ns = work.window.length_ns();
  result.busy_ns = work.swept.busy_ns;
  result.steps = work.window.periods();
  result.operations = work.swept.operations;
  result.same_stream_overlaps = work.order.overlaps;
  result.steps_from = result.steps > 0 ? steps_word(steps[work.window.process].source) : "none";
  result.step_busy_ns = work.swept.step_busy_ns;
  for (std::size_t i = 1; i < work.window.boundaries_ns.size(); ++i) {
    result.step_period_ns.push_back(work.window.boundaries_ns[i] -
                                    work.window.boundaries_ns[i - 1]);
  }
  result.families = family_times(timeline, work.swept);
  result.idle = gaps.idle;
  result.graph_launch_idle_ns = gaps.graph_launch_ns;
  result.every_gap_site = gaps.sites;
  const std::size_t listed = std::min(gaps.sites.size(), kGapSites);
  result.gap_sites.assign(gaps.sites.begin(),
                          gaps.sites.begin() + static_cast<std::ptrdiff_t>(listed));
  result.kernels = kernel_stats(timeline, device, work.window);
  result.ranges = project_ranges(timeline, device, work.window, steps);
  WorkSites sites = work_sites(timeline, device, work.window, steps, work.swept.charged_ns);
  result.sites = std::move(sites.sites);
  result.sites_collapsed = sites.collapsed;
  std::int64_t accounted = 0;
  for (const FamilyTime& family : result.families) accounted += family.wall_ns;
  for (const IdleTime& idle : result.idle) accounted += idle.total_ns;
  if (accounted != result.window_ns) {
    return Error{.code = ErrorCode::internal,
                 .message = "families and idle time of " + device.uuid + " sum to " +
                            std::to_string(accounted) + " ns, the window has " +
                            std::to_string(result.window_ns) + " ns",
                 .hint = "report this as a bug and attach the capture",
                 .context = {}};
  }
  return result;
}

/// Launches with a record of the graph's launch, be it of the runtime or of the driver.
std::int64_t graph_launches(const Capture& capture, const LaunchCalls& launches) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const bool is_graph = std::ranges::any_of(launches[i], [&](std::uint32_t call) {
      return capture.api_calls[call].api_class == ApiClass::graph_launch;
    });
    if (is_graph) ++count;
  }
  return count;
}

void add_counts(const Timeline& timeline, std::span<const ProcessSteps> steps,
                TracedProcess& result) {
  for (const DeviceTimeline& device : timeline.devices) {
    for (const Operation& op : device.operations) {
      if (!is_counted(op, steps[op.process])) continue;
      if (op.kind == OperationKind::kernel) ++result.kernel_launches;
      if (op.kind == OperationKind::copy) ++result.copies;
    }
  }
  for (std::size_t i = 0; i < timeline.processes.size(); ++i) {
    const LaunchCalls launches(*timeline.processes[i].capture, host_span(steps[i]));
    result.api_launches += static_cast<std::int64_t>(launches.size());
    result.graph_launches += graph_launches(*timeline.processes[i].capture, launches);
    add_api_calls(*timeline.processes[i].capture, host_span(steps[i]), result.api_calls);
  }
  for (const DeviceWindow& device : result.devices) {
    result.records += device.operations;
    result.steps = std::max(result.steps, device.steps);
  }
  if (result.steps > 0) {
    result.records_per_step =
        static_cast<double>(result.records) / static_cast<double>(result.steps);
  }
}

void add_dropped(const Timeline& timeline, TracedProcess& result) {
  result.dropped = 0;
  for (const ProcessIndex& process : timeline.processes) {
    if (!process.capture->dropped) result.dropped.reset();
    if (result.dropped) *result.dropped += *process.capture->dropped;
  }
  if (timeline.processes.empty()) result.dropped.reset();
}

/// A traced step three times over; 0 = unknown.
struct StepTimes {
  double own_ms = 0.0;
  double captured_ms = 0.0;
  double untraced_ms = 0.0;
};

/// All at the same step indices: steps 2 to N + 1 of the window.
StepTimes step_times(const AnalysisInput& input, const TracedInput& traced, std::int64_t first,
                     const TracedProcess& result) {
  StepTimes times;
  const std::int64_t count = result.steps;
  if (count <= 0) return times;
  std::vector<double> periods;
  for (const DeviceWindow& device : result.devices) {
    for (const std::int64_t ns : device.step_period_ns)
      periods.push_back(static_cast<double>(ns) / 1e6);
  }
  times.captured_ms = median(periods);
  if (first < 0) return times;
  const auto& own = traced.traced_step_ms;
  if (first + count <= static_cast<std::int64_t>(own.size()))
    times.own_ms = median(std::span(own.begin() + first, own.begin() + first + count));
  times.untraced_ms = untraced_step_ms(input.timing, first, count);
  return times;
}

}  // namespace

/// A process that executes another program keeps its id: each program left a capture of its own,
/// and the earlier ones have no end block. Those that never opened their window ended before there
/// was anything to record, so they say nothing about the one that did.
///
/// A process without a device loaded no code onto one (torch.compile's workers load the driver and
/// compile). One that did use a GPU and opened no window stays: its work is missing here; so does
/// one that was killed before it could tell.
std::vector<const Capture*> captures_that_count(std::span<const Capture* const> captures) {
  const auto is_same_process = [](const Capture& a, const Capture& b) {
    return a.pid == b.pid && a.process_start_ticks == b.process_start_ticks;
  };
  const auto says_nothing_beside = [&](const Capture& silent, const Capture& other) {
    const bool replaced = !silent.complete && is_same_process(silent, other);
    const bool only_helps = silent.complete && silent.devices.empty() && silent.api_calls.empty();
    return !other.windows.empty() && (replaced || only_helps);
  };
  std::vector<const Capture*> kept;
  for (const Capture* capture : captures) {
    const bool silent = capture->windows.empty() && capture->kernels.empty();
    const bool left_out = silent && std::ranges::any_of(captures, [&](const Capture* other) {
                            return says_nothing_beside(*capture, *other);
                          });
    if (!left_out) kept.push_back(capture);
  }
  return kept;
}

double untraced_step_ms(const TimingSamples& timing, std::int64_t first, std::int64_t count) {
  std::vector<double> medians;
  for (const ProcessTiming& process : timing.processes) {
    const auto size = static_cast<std::int64_t>(process.step_ms.size());
    if (size == 0 || first + count > size) return 0.0;
    const std::int64_t end = count == 0 ? size : first + count;
    const auto steps = process.step_ms.begin();
    medians.push_back(median(std::span(steps + first, steps + end)));
  }
  return median(medians);
}

Result<TracedProcess> analyze_traced(const AnalysisInput& input, const TracedInput& traced,
                                     const Classifier& classifier) {
  const std::vector<const Capture*> captures = captures_that_count(traced.captures);
  Timeline timeline = build_timeline(captures, classifier);
  const std::vector<ProcessSteps> steps = assign_steps(timeline, input.spec.steps);
  TracedProcess result;
  result.process = traced.process;
  std::vector<DeviceWork> work;
  work.reserve(timeline.devices.size());
  for (const DeviceTimeline& device : timeline.devices) {
    DeviceWork& one = work.emplace_back();
    one.window = find_window(device, steps);
    one.swept = sweep(timeline, device, one.window);
    one.order = stream_order(timeline, device, one.window);
    PG_ASSIGN_OR_RETURN(DeviceWindow window, device_window(timeline, device, steps, one));
    result.devices.push_back(std::move(window));
  }
  add_counts(timeline, steps, result);
  add_dropped(timeline, result);
  const int skipped = steps.empty() ? 0 : steps.front().skipped_first;
  const std::int64_t first = std::int64_t{traced.first_captured_step} + skipped + 1;
  const StepTimes times = step_times(input, traced, first, result);
  result.traced_step_ms = times.own_ms > 0.0 ? times.own_ms : times.captured_ms;
  if (times.untraced_ms > 0.0)
    result.traced_over_untraced = result.traced_step_ms / times.untraced_ms;
  std::vector<DeviceEvidence> devices;
  for (std::size_t i = 0; i < work.size(); ++i) {
    devices.push_back({.timeline = &timeline.devices[i],
                       .window = &work[i].window,
                       .order = &work[i].order,
                       .step_busy_ns = work[i].swept.step_busy_ns,
                       .operations = work[i].swept.operations});
  }
  // The longer of the same steps and of all: at its power cap a GPU slows down after one step or
  // after thirty, another time in each process.
  double untraced = untraced_step_ms(input.timing, 0, 0);
  untraced = std::max(untraced, times.untraced_ms);
  result.verdict = check_capture({.spec = input.spec,
                                  .timeline = timeline,
                                  .steps = steps,
                                  .devices = devices,
                                  .untraced_step_ms = untraced,
                                  .own_step_ms = times.own_ms,
                                  .captured_step_ms = times.captured_ms,
                                  .same_untraced_step_ms = times.untraced_ms});
  return result;
}

}  // namespace perfgate::analysis
