/// GPU work by NVTX range.
///
/// A range owns what its thread launched (API call start) inside it; the step range owns everything
/// that any thread launched in the step. A launch of a thread without an open range goes to the
/// innermost range that is open on the step's thread, marked "by time". Nodes of a graph belong to
/// the range around the launch and, below it, to the ranges that were open when the node was
/// created. Parents own what their children own. Cost: one search per operation and one step per
/// level; no join of intervals.
#pragma once

#include <span>
#include <vector>

#include "runner/analysis/steps.h"
#include "runner/analysis/timeline.h"
#include "runner/analysis/window.h"
#include "runner/model/analysis.h"

namespace perfgate::analysis {

inline constexpr std::size_t kRangeRows = 500;

/// Operations that start in the window; by path; at most kRangeRows rows, those with the most GPU
/// time. `instances` counts range instances (for graph nodes: creation ranges per launch) that own
/// an operation.
[[nodiscard]] std::vector<RangeStat> project_ranges(const Timeline& timeline,
                                                    const DeviceTimeline& device,
                                                    const Window& window,
                                                    std::span<const ProcessSteps> steps);

}  // namespace perfgate::analysis
