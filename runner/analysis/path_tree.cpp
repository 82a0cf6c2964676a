#include "runner/analysis/path_tree.h"

#include <algorithm>
#include <tuple>

namespace perfgate::analysis {

std::uint32_t PathTree::child(std::uint32_t parent, const std::string& name) {
  const auto next = static_cast<std::uint32_t>(nodes_.size());
  const auto [at, is_new] = ids_.try_emplace({parent, name}, next);
  if (!is_new) return at->second;
  Node node{.parent = parent, .name = name, .covered_until_ns = 0, .stat = {}};
  node.stat.path = parent == kNone ? name : nodes_[parent].stat.path + "/" + name;
  nodes_.push_back(std::move(node));
  return next;
}

void PathTree::own(std::uint32_t node, std::int64_t start_ns, std::int64_t end_ns) {
  for (std::uint32_t up = node; up != kNone; up = nodes_[up].parent) {
    Node& owner = nodes_[up];
    ++owner.stat.operations;
    const std::int64_t from = std::max(start_ns, owner.covered_until_ns);
    if (end_ns <= from) continue;
    owner.stat.gpu_wall_ns += end_ns - from;
    owner.covered_until_ns = end_ns;
  }
}

std::vector<RangeStat> PathTree::rows(std::size_t limit) const {
  std::vector<RangeStat> rows;
  for (const Node& node : nodes_) {
    if (node.stat.operations > 0) rows.push_back(node.stat);
  }
  const auto by_time = [](const RangeStat& a, const RangeStat& b) {
    return std::tie(b.gpu_wall_ns, a.path) < std::tie(a.gpu_wall_ns, b.path);
  };
  std::ranges::sort(rows, by_time);
  if (rows.size() > limit) rows.resize(limit);
  std::ranges::sort(rows, {}, &RangeStat::path);
  return rows;
}

}  // namespace perfgate::analysis
