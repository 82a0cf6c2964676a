/// Where in the tree of NVTX ranges the operations of one process belong (projection.h has the
/// rules).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "runner/analysis/path_tree.h"
#include "runner/analysis/steps.h"
#include "runner/analysis/timeline.h"

namespace perfgate::analysis {

/// How instances of one range are told apart.
enum class PlaceNames : std::uint8_t {
  collapsed,  ///< "layer *": all layers share a path
  exact,      ///< "layer 17" below the step; the step's own range, and what is above it, collapsed
};

/// The creation ranges of graph nodes as a tree of uncollapsed names: "layer 3" and "layer 4" are
/// two instances.
class CreationPaths {
 public:
  explicit CreationPaths(const Capture& capture);

  /// kNone: the node is of no graph, or was created outside all ranges.
  [[nodiscard]] std::uint32_t leaf(std::uint64_t node) const;
  [[nodiscard]] std::uint32_t parent(std::uint32_t id) const { return paths_.parent(id); }
  [[nodiscard]] const std::string& name(std::uint32_t id) const { return paths_.name(id); }

 private:
  std::uint32_t intern(std::string_view path);

  PathTree paths_;
  std::unordered_map<std::uint64_t, std::uint32_t> leaf_of_node_;
};

/// Places the operations of one process. Process, steps and tree outlive it.
class RangePlaces {
 public:
  RangePlaces(const ProcessIndex& process, const ProcessSteps& steps, PathTree& tree,
              PlaceNames names);

  /// The node that owns the operation, or kNone; counts the instances of its ranges.
  std::uint32_t place(const Operation& op);

 private:
  [[nodiscard]] std::uint32_t step_range_of(const Operation& op) const;
  [[nodiscard]] std::uint32_t owning_range(const ApiRecord& launch, std::uint32_t step_range,
                                           bool& by_time);
  const ThreadTrack* track_of(std::uint32_t thread);
  std::uint32_t node_of(std::uint32_t range, std::uint32_t step_range);
  [[nodiscard]] std::string name_of(std::uint32_t range, std::uint32_t step_range,
                                    std::uint32_t above) const;
  [[nodiscard]] std::uint32_t parent_of(std::uint32_t range) const;
  [[nodiscard]] bool encloses(std::uint32_t outer, std::uint32_t inner) const;
  void count_instances(std::uint32_t range, std::uint32_t step_range);
  std::uint32_t below(std::uint32_t base, std::uint32_t leaf);
  void count_creation(std::uint32_t base, std::uint32_t leaf, std::uint32_t correlation);

  const ProcessIndex& process_;
  const Capture& capture_;
  const ProcessSteps& steps_;
  PathTree& tree_;
  PlaceNames names_;
  CreationPaths creation_;
  std::vector<std::uint32_t> node_of_range_;
  std::vector<std::uint8_t> counted_;
  std::vector<std::uint8_t> is_step_;
  const ThreadTrack* step_track_ = nullptr;
  const ThreadTrack* last_track_ = nullptr;
  std::uint32_t last_thread_ = 0;
  bool have_thread_ = false;
  std::unordered_map<std::uint64_t, std::uint32_t> below_;
  std::unordered_set<std::uint64_t> creation_counted_;
};

}  // namespace perfgate::analysis
