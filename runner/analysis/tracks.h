/// Nested calls or ranges of each thread, cut into disjoint segments of the innermost one. One
/// sorted sweep with a stack per thread: O(n log n), no interval join.
#pragma once

#include <cstdint>
#include <vector>

#include "runner/analysis/timeline.h"

namespace perfgate::analysis {

/// What a track is made of; `item` is the index that segments carry.
struct TrackItem {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;  ///< kForever for an open range
  std::uint32_t thread = 0;
  std::uint32_t item = 0;
};

/// `items` in any order; sorted in place, a parent before its children. An item that outlives its
/// parent is cut at the parent's end. `parent_of` (if not null, sized by the caller, indexed by
/// item) receives each item's enclosing item or kNone.
[[nodiscard]] std::vector<ThreadTrack> build_tracks(std::vector<TrackItem>& items,
                                                    std::vector<std::uint32_t>* parent_of);

}  // namespace perfgate::analysis
