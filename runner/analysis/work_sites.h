/// The GPU work of a window by place, name and launch: what a comparison matches kernel by kernel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runner/analysis/steps.h"
#include "runner/analysis/timeline.h"
#include "runner/analysis/window.h"
#include "runner/model/analysis.h"

namespace perfgate::analysis {

/// Above this many sites the places lose their indices: a program that numbers its requests has a
/// new place for each, and no two runs share one. A ledger in which one process is above it takes
/// the indices from all (kernel_match.h).
inline constexpr std::size_t kMaxSites = 20'000;

struct WorkSites {
  std::vector<WorkSite> sites;
  bool collapsed = false;  ///< the places have no indices
};
/// In order of first appearance, which in whole steps is the order of the step. `charged_ns` is
/// SweepResult::charged_ns: the sites' charged times sum to the busy time of the window.
[[nodiscard]] WorkSites work_sites(const Timeline& timeline, const DeviceTimeline& device,
                                   const Window& window, std::span<const ProcessSteps> steps,
                                   std::span<const std::int64_t> charged_ns);

}  // namespace perfgate::analysis
