#include "runner/probe/graph_nodes.h"

namespace perfgate::probe {

std::uint32_t GraphNodeStore::path_id(const std::string& path) {
  const auto [at, fresh] = path_ids_.emplace(path, static_cast<std::uint32_t>(paths_.size()));
  if (fresh) paths_.push_back(path);
  return at->second;
}

GraphNodeInfo* GraphNodeStore::insert(const GraphNodeInfo& info) {
  if (nodes_.size() >= kMaxNodes && !nodes_.contains(info.node)) return nullptr;
  return &nodes_.insert_or_assign(info.node, info).first->second;
}

void GraphNodeStore::created(std::uint64_t node, std::uint32_t graph, GraphNodeKind kind,
                             const std::string& path) {
  // CUPTI may report a clone as created too, before or after; what is known of its origin stands.
  const auto known = nodes_.find(node);
  if (known != nodes_.end() && known->second.original != 0) return;
  GraphNodeInfo info;
  info.node = node;
  info.graph = graph;
  info.kind = kind;
  info.path = path_id(path);
  insert(info);
}

void GraphNodeStore::cloned(std::uint64_t node, std::uint64_t original, std::uint32_t graph,
                            GraphNodeKind kind) {
  GraphNodeInfo info;
  info.node = node;
  info.original = original;
  info.graph = graph;
  info.kind = kind;
  const auto from = nodes_.find(original);
  if (from != nodes_.end()) {
    info.path = from->second.path;
    info.kind = from->second.kind;
  }
  if (insert(info) != nullptr) clones_[graph].push_back(node);
}

void GraphNodeStore::destroyed(std::uint64_t node) {
  const auto at = nodes_.find(node);
  if (at == nodes_.end()) return;
  if (keep_destroyed_ && !at->second.reported && destroyed_.size() < kMaxNodes) {
    destroyed_.push_back(at->second);
  }
  nodes_.erase(at);
}

void GraphNodeStore::instantiated(std::uint32_t executable_graph) {
  const auto clones = clones_.find(executable_graph);
  if (clones == clones_.end()) return;
  for (const std::uint64_t node : clones->second) {
    const auto info = nodes_.find(node);
    if (info == nodes_.end() || info->second.graph != executable_graph) continue;
    info->second.in_executable = true;
    saw_executable_ = true;
  }
  clones_.erase(clones);
}

std::vector<GraphNodeInfo> GraphNodeStore::take_unreported() {
  std::vector<GraphNodeInfo> taken;
  const auto wanted = [&](const GraphNodeInfo& info) {
    return !info.reported && (info.in_executable || !saw_executable_);
  };
  for (auto& [id, info] : nodes_) {
    if (!wanted(info)) continue;
    info.reported = true;
    taken.push_back(info);
  }
  for (const GraphNodeInfo& info : destroyed_) {
    if (wanted(info)) taken.push_back(info);
  }
  destroyed_.clear();
  return taken;
}

}  // namespace perfgate::probe
