/// Range paths as a tree, with what each path owns. Names have their indices collapsed.
///
/// Ranges that a program forgot to close nest without end. So that neither memory nor a path grows
/// with them, a place has at most kMostLevels levels and kMostPathBytes bytes: what is deeper is
/// part of its parent's place. From kFoldLevels on a range lies in the nearest place above it that
/// has its name (indices collapsed), as recursion does: where each step leaves one open, all steps
/// share a place after some.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runner/analysis/timeline.h"
#include "runner/model/analysis.h"

namespace perfgate::analysis {

inline constexpr std::uint32_t kFoldLevels = 64;
inline constexpr std::uint32_t kMostLevels = 128;
inline constexpr std::size_t kMostPathBytes = 4096;

class PathTree {
 public:
  /// The child `name` of `parent` (kNone = top level), made on first use; too deep, one of those
  /// above it or `parent`.
  std::uint32_t child(std::uint32_t parent, std::string name);
  [[nodiscard]] std::uint32_t parent(std::uint32_t node) const { return nodes_[node].parent; }
  [[nodiscard]] const std::string& name(std::uint32_t node) const { return nodes_[node].name; }
  /// "decode/layer *": put together anew by each call.
  [[nodiscard]] std::string path(std::uint32_t node) const;

  /// One operation of `node` and all above it, in the order of start times: overlaps are counted
  /// once.
  void own(std::uint32_t node, std::int64_t start_ns, std::int64_t end_ns);
  void count_instance(std::uint32_t node) { ++nodes_[node].stat.instances; }
  void mark_by_time(std::uint32_t node) { nodes_[node].stat.by_time = true; }

  /// Paths that own operations, by path; at most `limit`, those with the most GPU time.
  [[nodiscard]] std::vector<RangeStat> rows(std::size_t limit) const;

 private:
  struct Node {
    std::uint32_t parent = kNone;
    std::uint32_t level = 1;
    std::size_t path_bytes = 0;
    std::string name{};
    std::int64_t covered_until_ns = 0;
    RangeStat stat{};  ///< without its path
  };
  [[nodiscard]] std::uint32_t folded(std::uint32_t parent, const std::string& name) const;

  std::vector<Node> nodes_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> ids_;
};

}  // namespace perfgate::analysis
