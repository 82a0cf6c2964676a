#include "runner/analysis/steps.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "runner/model/glob.h"

namespace perfgate::analysis {
namespace {

/// A range counts if any part of it lies in a window: the window opens inside the first step.
bool in_window(const Capture& capture, const NvtxRange& range) {
  if (capture.windows.empty()) return true;
  return std::ranges::any_of(capture.windows, [&](const CaptureWindow& window) {
    const bool ends_after = range.end_ns == 0 || range.end_ns > window.opened_ns;
    return ends_after && (window.closed_ns == 0 || range.start_ns < window.closed_ns);
  });
}

std::vector<std::uint32_t> matching_ranges(const Capture& capture, const StepsSpec& spec) {
  std::vector<std::uint32_t> found;
  if (spec.range.empty()) return found;
  std::vector<signed char> matches(capture.strings.size(),
                                   -1);  // each distinct name is matched once
  for (std::uint32_t i = 0; i < capture.ranges.size(); ++i) {
    const NvtxRange& range = capture.ranges[i];
    if (range.name >= matches.size() || text_of(capture, range.domain) != spec.domain) continue;
    signed char& known = matches[range.name];
    if (known < 0) known = glob_matches(spec.range, capture.strings[range.name]) ? 1 : 0;
    if (known == 1 && in_window(capture, range)) found.push_back(i);
  }
  return found;
}

/// A glob such as `decode*` may match a range inside the step too: the outer one is the step.
std::vector<std::uint32_t> outermost(const ProcessIndex& process,
                                     std::vector<std::uint32_t> matches) {
  const auto& order = process.range_order;  // a parent before its children, start/end ranges last
  std::ranges::stable_sort(matches, {}, [&](std::uint32_t range) { return order[range]; });
  std::vector<std::uint32_t> kept;
  for (const std::uint32_t range : matches) {
    if (kept.empty() || !process.range_encloses(kept.back(), range)) kept.push_back(range);
  }
  return kept;
}

std::vector<std::string> names_seen(const Capture& capture) {
  std::set<std::string> names;
  for (const NvtxRange& range : capture.ranges) {
    if (names.size() >= 8) break;
    names.insert(text_of(capture, range.name));
  }
  return {names.begin(), names.end()};
}

ProcessSteps nvtx_steps(const ProcessIndex& process, const StepsSpec& spec) {
  const Capture& capture = *process.capture;
  ProcessSteps steps;
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_thread;
  for (const std::uint32_t range : outermost(process, matching_ranges(capture, spec)))
    by_thread[capture.ranges[range].thread].push_back(range);
  if (by_thread.empty()) {
    if (!spec.range.empty()) steps.seen_ranges = names_seen(capture);
    return steps;
  }
  // Several threads may mark steps (a worker per GPU); the one with the most marks leads, then the
  // lower id.
  const auto most = std::ranges::max_element(
      by_thread, [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  steps.source = StepSource::nvtx;
  steps.thread = most->first;
  steps.ranges = std::move(most->second);
  std::ranges::sort(steps.ranges, {},
                    [&](std::uint32_t r) { return std::tuple(capture.ranges[r].start_ns, r); });
  for (const std::uint32_t range : steps.ranges)
    steps.starts_ns.push_back(capture.ranges[range].start_ns);
  return steps;
}

ProcessSteps graph_steps(const Timeline& timeline, std::uint16_t process, ProcessSteps none) {
  std::map<std::uint32_t, std::int64_t> time_of_graph;
  const auto each = [&](auto&& visit) {
    for (const DeviceTimeline& device : timeline.devices) {
      for (const Operation& op : device.operations) {
        if (op.process == process && op.graph != 0 && op.launch != kNone) visit(op);
      }
    }
  };
  each([&](const Operation& op) { time_of_graph[op.graph] += op.end_ns - op.start_ns; });
  if (time_of_graph.empty()) return none;
  const std::uint32_t graph =
      std::ranges::max_element(time_of_graph, [](const auto& a, const auto& b) {
        return a.second < b.second;
      })->first;
  std::vector<std::uint32_t> launches;
  each([&](const Operation& op) {
    if (op.graph == graph && (launches.empty() || launches.back() != op.launch))
      launches.push_back(op.launch);
  });
  std::ranges::sort(launches);
  const auto repeated = std::ranges::unique(launches);
  launches.erase(repeated.begin(), repeated.end());
  if (launches.size() < 3) return none;
  const auto& calls = timeline.processes[process].capture->api_calls;
  none.source = StepSource::graph_launch;
  none.thread = calls[launches.front()].thread;
  for (const std::uint32_t launch : launches) none.starts_ns.push_back(calls[launch].start_ns);
  std::ranges::sort(none.starts_ns);
  return none;
}

/// Sets Operation::step and returns the number of operations of each step.
std::vector<std::int64_t> own_operations(Timeline& timeline, std::uint16_t process,
                                         const ProcessSteps& steps) {
  std::vector<std::int64_t> work(steps.starts_ns.size(), 0);
  const auto& calls = timeline.processes[process].capture->api_calls;
  for (DeviceTimeline& device : timeline.devices) {
    for (Operation& op : device.operations) {
      if (op.process != process) continue;
      op.step = -1;
      if (op.launch == kNone) continue;
      const auto next = std::ranges::upper_bound(steps.starts_ns, calls[op.launch].start_ns);
      op.step = static_cast<std::int32_t>(next - steps.starts_ns.begin()) - 1;
      if (op.step >= 0) ++work[static_cast<std::size_t>(op.step)];
    }
  }
  return work;
}

void drop_step(ProcessSteps& steps, std::size_t index) {
  const auto at = static_cast<std::ptrdiff_t>(index);
  steps.starts_ns.erase(steps.starts_ns.begin() + at);
  if (!steps.ranges.empty()) steps.ranges.erase(steps.ranges.begin() + at);
}

}  // namespace

std::vector<ProcessSteps> assign_steps(Timeline& timeline, const StepsSpec& spec) {
  std::vector<ProcessSteps> all;
  for (std::size_t index = 0; index < timeline.processes.size(); ++index) {
    const auto process = static_cast<std::uint16_t>(index);
    ProcessSteps steps = nvtx_steps(timeline.processes[process], spec);
    if (steps.source == StepSource::none) steps = graph_steps(timeline, process, std::move(steps));
    std::vector<std::int64_t> work = own_operations(timeline, process, steps);
    const bool some = std::ranges::any_of(work, [](std::int64_t count) { return count > 0; });
    if (some && work.back() == 0) drop_step(steps, work.size() - 1);
    if (some && work.front() == 0) {
      drop_step(steps, 0);
      steps.skipped_first = 1;
      (void)own_operations(timeline, process, steps);
    }
    all.push_back(std::move(steps));
  }
  return all;
}

}  // namespace perfgate::analysis
