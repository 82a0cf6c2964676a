/// Range paths as a tree, with what each path owns. Names have their indices collapsed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runner/analysis/timeline.h"
#include "runner/model/analysis.h"

namespace perfgate::analysis {

class PathTree {
 public:
  /// The child `name` of `parent` (kNone = top level), made on first use.
  std::uint32_t child(std::uint32_t parent, const std::string& name);
  [[nodiscard]] const std::string& name(std::uint32_t node) const { return nodes_[node].name; }
  [[nodiscard]] const std::string& path(std::uint32_t node) const { return nodes_[node].stat.path; }

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
    std::string name;
    std::int64_t covered_until_ns = 0;
    RangeStat stat;
  };
  std::vector<Node> nodes_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> ids_;
};

}  // namespace perfgate::analysis
