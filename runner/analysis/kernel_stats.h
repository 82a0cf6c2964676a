/// The kernels of a window by normalised name and launch shape.
#pragma once

#include <vector>

#include "runner/analysis/timeline.h"
#include "runner/analysis/window.h"
#include "runner/model/analysis.h"

namespace perfgate::analysis {

/// Kernels that start in the window, with their whole durations; by falling total, then name and
/// shape.
[[nodiscard]] std::vector<KernelStat> kernel_stats(const Timeline& timeline,
                                                   const DeviceTimeline& device,
                                                   const Window& window);

}  // namespace perfgate::analysis
