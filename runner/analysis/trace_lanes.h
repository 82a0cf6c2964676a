/// Lanes of a track: slices of one track may not overlap in part, so what does goes to a further
/// lane, which is a track of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace perfgate::analysis {

/// Gives each interval the first lane where it fits. Intervals come by rising start, at equal
/// starts the longer first where they may nest. O(log lanes) each.
class TraceLanes {
 public:
  enum class First : std::uint8_t {
    disjoint,  ///< no two intervals of a lane share an instant
    nested,    ///< in lane 0 intervals may lie inside one another, as calls of a thread do
  };
  explicit TraceLanes(First first) : first_(first) {}

  [[nodiscard]] std::size_t place(std::int64_t start_ns, std::int64_t end_ns);

 private:
  using Busy = std::pair<std::int64_t, std::size_t>;  ///< end, lane
  template <typename T>
  using LeastFirst = std::priority_queue<T, std::vector<T>, std::greater<>>;

  First first_;
  std::vector<std::int64_t> open_ends_;  ///< of lane 0 where it nests, outermost first
  LeastFirst<Busy> busy_;
  LeastFirst<std::size_t> free_;
  std::size_t lanes_ = 0;  ///< without the nested one
};

}  // namespace perfgate::analysis
