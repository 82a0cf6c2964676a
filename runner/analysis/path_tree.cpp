#include "runner/analysis/path_tree.h"

#include <algorithm>
#include <utility>

#include "runner/analysis/range_names.h"

namespace perfgate::analysis {

std::uint32_t PathTree::child(std::uint32_t parent, std::string name) {
  if (name.size() > kMostPathBytes) name.resize(kMostPathBytes);
  const auto next = static_cast<std::uint32_t>(nodes_.size());
  const auto [at, is_new] = ids_.try_emplace({parent, name}, next);
  if (!is_new) return at->second;
  const std::size_t bytes = name.size();
  Node node{.parent = parent, .path_bytes = bytes, .name = std::move(name)};
  if (parent != kNone) {
    node.level = nodes_[parent].level + 1;
    node.path_bytes += nodes_[parent].path_bytes + 1;
    if (node.level > kFoldLevels) at->second = folded(parent, node.name);
    if (at->second == next && (node.level > kMostLevels || node.path_bytes > kMostPathBytes))
      at->second = parent;
    if (at->second != next) return at->second;
  }
  nodes_.push_back(std::move(node));
  return next;
}

/// The nearest of `parent` and what is above it that has the name, else a new node.
std::uint32_t PathTree::folded(std::uint32_t parent, const std::string& name) const {
  const std::string collapsed = collapse_indices(name);
  for (std::uint32_t up = parent; up != kNone; up = nodes_[up].parent) {
    if (collapse_indices(nodes_[up].name) == collapsed) return up;
  }
  return static_cast<std::uint32_t>(nodes_.size());
}

std::string PathTree::path(std::uint32_t node) const {
  std::string path;
  path.reserve(nodes_[node].path_bytes);
  std::vector<std::uint32_t> chain;
  for (std::uint32_t up = node; up != kNone; up = nodes_[up].parent) chain.push_back(up);
  for (auto part = chain.rbegin(); part != chain.rend(); ++part)
    path.append(part == chain.rbegin() ? "" : "/").append(nodes_[*part].name);
  return path;
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
  std::vector<std::uint32_t> largest;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].stat.operations > 0) largest.push_back(i);
  }
  // Those of equal time at the border of the limit by path: only theirs are put together.
  const auto time_of = [&](std::uint32_t i) { return -nodes_[i].stat.gpu_wall_ns; };
  std::ranges::sort(largest, {}, time_of);
  if (largest.size() > limit) {
    const auto [from, to] = std::ranges::equal_range(largest, time_of(largest[limit]), {}, time_of);
    std::ranges::sort(from, to, {}, [&](std::uint32_t i) { return path(i); });
    largest.resize(limit);
  }
  std::vector<RangeStat> rows;
  rows.reserve(largest.size());
  for (const std::uint32_t i : largest) {
    rows.push_back(nodes_[i].stat);
    rows.back().path = path(i);
  }
  std::ranges::sort(rows, {}, &RangeStat::path);
  return rows;
}

}  // namespace perfgate::analysis
