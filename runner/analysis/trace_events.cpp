#include "runner/analysis/trace_events.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "runner/analysis/steps.h"
#include "runner/analysis/trace_output.h"
#include "runner/analysis/traced_process.h"

namespace perfgate::analysis {
namespace {

constexpr std::int64_t kMillisecondNs = 1'000'000;

struct PreparedRun {
  Timeline timeline;
  std::vector<Window> windows;  ///< parallel to the timeline's devices
  ShownTime shown;
};

/// The smallest stretch that holds what was added.
class Stretch {
 public:
  void add(std::int64_t start_ns, std::int64_t end_ns) {
    if (!has_time(start_ns, end_ns)) return;
    first_ns = any_ ? std::min(first_ns, start_ns) : start_ns;
    last_ns = any_ ? std::max(last_ns, end_ns) : end_ns;
    any_ = true;
  }
  [[nodiscard]] bool any() const { return any_; }

  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;

 private:
  bool any_ = false;
};

/// From the first GPU operation or API call to the last; where there are none, of the ranges. A
/// range around the whole program would push everything else to the side.
Stretch shown_stretch(const Timeline& timeline) {
  Stretch stretch;
  for (const DeviceTimeline& device : timeline.devices) {
    for (const Operation& op : device.operations) stretch.add(op.start_ns, op.end_ns);
  }
  for (const ProcessIndex& process : timeline.processes) {
    for (const ApiRecord& call : process.capture->api_calls)
      stretch.add(call.start_ns, call.end_ns);
  }
  if (stretch.any()) return stretch;
  for (const ProcessIndex& process : timeline.processes) {
    for (const NvtxRange& range : process.capture->ranges)
      stretch.add(range.start_ns, range.end_ns);
  }
  return stretch;
}

/// Where the last window ends, and what began before that; with a device without steps, all.
std::int64_t shown_end(const Timeline& timeline, std::span<const Window> windows,
                       const Stretch& stretch) {
  std::int64_t end = 0;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (windows[i].periods() == 0) return stretch.last_ns;
    end = std::max(end, windows[i].end_ns);
    for (const Operation& op : timeline.devices[i].operations) {
      const bool is_shown = has_time(op.start_ns, op.end_ns) && !is_after(windows[i], op);
      if (is_shown) end = std::max(end, op.end_ns);
    }
  }
  // A window may begin with a record that has no usable time.
  return windows.empty() ? stretch.last_ns : std::clamp(end, stretch.first_ns, stretch.last_ns);
}

Result<PreparedRun> prepare(const TraceRun& run) {
  PreparedRun prepared;
  const std::vector<const Capture*> captures = captures_that_count(run.captures);
  prepared.timeline = build_timeline(captures, run.classifier);
  const std::vector<ProcessSteps> steps = assign_steps(prepared.timeline, run.steps);
  const Stretch stretch = shown_stretch(prepared.timeline);
  if (!stretch.any()) {
    return Error{.code = ErrorCode::invalid_measurement,
                 .message = "there is nothing to draw: no GPU work, no API calls, no NVTX ranges",
                 .hint = "trace a program that uses the GPU inside the window",
                 .context = {}};
  }
  ShownTime& shown = prepared.shown;
  shown = {.window_ns = stretch.last_ns, .first_ns = stretch.first_ns, .last_ns = stretch.last_ns};
  for (const DeviceTimeline& device : prepared.timeline.devices) {
    prepared.windows.push_back(find_window(device, steps));
    shown.window_ns = std::min(shown.window_ns, prepared.windows.back().start_ns);
  }
  shown.last_ns = shown_end(prepared.timeline, prepared.windows, stretch);
  if (prepared.timeline.devices.empty()) shown.window_ns = shown.first_ns;
  shown.window_ns = std::max(shown.window_ns, shown.first_ns);
  return prepared;
}

/// Whole milliseconds, so that a reader takes them off in the head.
std::int64_t window_time(std::span<const PreparedRun> runs) {
  std::int64_t lead = 0;
  for (const PreparedRun& run : runs)
    lead = std::max(lead, run.shown.window_ns - run.shown.first_ns);
  return (lead + kMillisecondNs - 1) / kMillisecondNs * kMillisecondNs;
}

Status emit_run(const PreparedRun& run, const std::string& label, std::uint32_t& next_arrow,
                TraceOutput& out) {
  out.begin_run(label, run.shown);
  out.totals.left_out += run.timeline.without_time;
  Arrows arrows{.of_call = {}, .next = &next_arrow};
  for (const ProcessIndex& process : run.timeline.processes)
    arrows.of_call.emplace_back(process.capture->api_calls.size(), 0U);
  for (std::size_t i = 0; i < run.timeline.devices.size(); ++i) {
    PG_TRY(emit_device(run.timeline, run.timeline.devices[i], run.windows[i], out, arrows));
  }
  for (std::size_t i = 0; i < run.timeline.processes.size(); ++i) {
    PG_TRY(emit_host(run.timeline.processes[i], arrows.of_call[i], out));
  }
  return {};
}

}  // namespace

Result<TraceTotals> emit_trace(std::span<const TraceRun> runs, TraceSink& sink) {
  std::vector<PreparedRun> prepared;
  for (const TraceRun& run : runs) {
    PG_ASSIGN_OR_RETURN(PreparedRun one, prepare(run));
    prepared.push_back(std::move(one));
  }
  TraceOutput out(sink, window_time(prepared));
  std::uint32_t next_arrow = 1;
  for (std::size_t i = 0; i < prepared.size(); ++i)
    PG_TRY(emit_run(prepared[i], runs[i].label, next_arrow, out));
  return out.totals;
}

}  // namespace perfgate::analysis
