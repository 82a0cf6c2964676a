/// Cuts one gap into pieces of one cause each. The rules are in gaps.h.
#pragma once

#include <vector>

#include "runner/analysis/sweep.h"
#include "runner/analysis/timeline.h"
#include "runner/model/analysis.h"

namespace perfgate::analysis {

struct GapPiece {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  IdleCause cause = IdleCause::unknown;
  std::int64_t graph_launch_ns = 0;  ///< of it, inside calls that launch a graph
};

/// Appends the pieces of `gap` in time order to `pieces` (cleared first); neighbours of equal cause
/// are one piece.
void cut_gap(const Timeline& timeline, const DeviceTimeline& device, const Gap& gap,
             std::vector<GapPiece>& pieces);

}  // namespace perfgate::analysis
