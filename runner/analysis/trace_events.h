/// Traced runs as a timeline for a viewer. Pure: captures in, events out, one after the other.
///
/// Tracks of each run, by device: the window and its steps; why the GPU was idle, one slice per
/// piece of a gap (gap_pieces.h), so that their durations sum up to the analysis' idle time; each
/// stream, with further lanes where its operations overlap (programmatic dependent launch, branches
/// of a graph). By process: each host thread's NVTX ranges and API calls, and what CUPTI took for
/// itself. Arrows lead from a launch call to the first operation that it launched: a graph's launch
/// has one arrow, not one per node.
///
/// A timeline shows what was recorded before the window, and ends with it where there are steps:
/// the step behind it is cut by the window's closing, and ends of its kernels may be wrong (a H200
/// gave 13 ms to each of a graph's 227 nodes). Several runs begin their windows at the same time;
/// that time is a whole number of milliseconds, as few as let nothing begin before 0.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "runner/analysis/families.h"
#include "runner/model/capture.h"
#include "runner/model/result.h"
#include "runner/model/trace_event.h"
#include "runner/model/workload_spec.h"

namespace perfgate::analysis {

struct TraceRun {
  std::string label;                         ///< before each process's name; empty = none
  std::span<const Capture* const> captures;  ///< of one traced run, as TracedInput has them
  const StepsSpec& steps;
  const Classifier& classifier;
};

struct TraceTotals {
  std::int64_t window_at_ns = 0;  ///< where the (first device's) window starts, in every run
  std::int64_t slices = 0;
  std::int64_t arrows = 0;
  std::int64_t left_out = 0;      ///< records without a usable time
  std::int64_t after_window = 0;  ///< GPU operations that are not shown for it
};

/// Errors: those of the sink; `invalid_measurement` where a run has nothing to show. Memory: what
/// the timelines take (timeline.h), and 4 bytes per API call.
[[nodiscard]] Result<TraceTotals> emit_trace(std::span<const TraceRun> runs, TraceSink& sink);

}  // namespace perfgate::analysis
