/// Operations grouped by what they are and how they are launched: the shape of a launch as a key,
/// and the durations of each group side by side. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runner/analysis/timeline.h"

namespace perfgate::analysis {

struct LaunchShape {
  std::uint32_t name = 0;  ///< index into Timeline::names
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::uint32_t registers = 0;
  std::uint32_t shared_bytes = 0;
  std::uint64_t code_hash = 0;
  std::uint32_t place = kNone;  ///< node of a PathTree; kNone = not told apart by place

  bool operator==(const LaunchShape&) const = default;
};

/// Copies and memsets have a name and nothing else.
[[nodiscard]] LaunchShape launch_shape(const Timeline& timeline, const Operation& op);

struct LaunchShapeHash {
  std::size_t operator()(const LaunchShape& shape) const;
};

/// Durations by group, added in any order.
class GroupedDurations {
 public:
  void add(std::uint32_t group, std::int64_t duration_ns);
  /// Sorts the durations into their groups; nothing is added afterwards.
  void arrange();
  /// Of one group, in no particular order; may be reordered by the caller.
  [[nodiscard]] std::span<std::int64_t> of(std::uint32_t group);

 private:
  std::vector<std::uint32_t> group_of_;
  std::vector<std::int64_t> duration_ns_;
  std::vector<std::size_t> count_;
  std::vector<std::size_t> first_;
};

}  // namespace perfgate::analysis
