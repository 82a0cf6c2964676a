/// The nodes of the process's CUDA graphs, as CUPTI's resource callbacks tell them from load on.
/// Pure.
///
/// Activity records name the node of the executable graph, which is a clone of the node that the
/// program (or a stream capture) made. A clone inherits kind and NVTX path of its original, so that
/// a replayed kernel can be charged to the layer that was open when its node was captured.
///
/// Seen on an H200 (driver 580, CUDA 13.0 U1): cudaGraphInstantiate first makes a graph of clones
/// (a CREATED and a CLONED callback each), then GRAPHEXEC_CREATED names an executable whose id is
/// the id of that graph, and the activity records carry these clones' ids. Nodes created in between
/// without an original are the driver's own and leave no records.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "runner/model/capture.h"

namespace perfgate::probe {

struct GraphNodeInfo {
  std::uint64_t node = 0;
  std::uint64_t original = 0;
  std::uint32_t graph = 0;
  bool in_executable = false;
  bool reported = false;
  GraphNodeKind kind = GraphNodeKind::other;
  std::uint32_t path = 0;  ///< index into GraphNodeStore::path_text
};

class GraphNodeStore {
 public:
  void created(std::uint64_t node, std::uint32_t graph, GraphNodeKind kind,
               const std::string& path);
  /// `kind` other means that the callback did not say: the original's is taken.
  void cloned(std::uint64_t node, std::uint64_t original, std::uint32_t graph, GraphNodeKind kind);
  void destroyed(std::uint64_t node);
  /// The clones in the graph of this id belong to an executable graph.
  void instantiated(std::uint32_t executable_graph);

  /// Nodes of executable graphs not taken before; where none was ever seen, the nodes as created.
  /// A destroyed node that was not yet taken is among them (its launches may lie in the window).
  [[nodiscard]] std::vector<GraphNodeInfo> take_unreported();
  /// From now on destroyed nodes that were not taken are kept, because a window is open.
  void keep_destroyed(bool keep) { keep_destroyed_ = keep; }
  [[nodiscard]] const std::string& path_text(std::uint32_t path) const { return paths_[path]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

  static constexpr std::size_t kMaxNodes = 4'000'000;

 private:
  std::uint32_t path_id(const std::string& path);
  GraphNodeInfo* insert(const GraphNodeInfo& info);

  std::unordered_map<std::uint64_t, GraphNodeInfo> nodes_;
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> clones_;  // by their graph
  std::vector<GraphNodeInfo> destroyed_;
  std::vector<std::string> paths_{std::string{}};
  std::unordered_map<std::string, std::uint32_t> path_ids_{{std::string{}, 0}};
  bool keep_destroyed_ = false;
  bool saw_executable_ = false;
};

}  // namespace perfgate::probe
