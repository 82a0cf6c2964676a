#include "runner/analysis/projection.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "runner/analysis/path_tree.h"
#include "runner/analysis/range_names.h"

namespace perfgate::analysis {
namespace {

std::uint64_t pair_key(std::uint32_t high, std::uint32_t low) {
  return (std::uint64_t{high} << 32U) | low;
}

/// The creation ranges of graph nodes as a tree of uncollapsed names: "layer 3" and "layer 4" are
/// two instances.
class CreationPaths {
 public:
  struct Entry {
    std::uint32_t parent = kNone;
    std::string collapsed;
  };

  explicit CreationPaths(const Capture& capture) {
    for (const GraphNodeRecord& record : capture.graph_nodes) {
      if (record.nvtx_path != 0)
        leaf_of_node_[record.node] = intern(text_of(capture, record.nvtx_path));
    }
    for (const GraphNodeRecord& record : capture.graph_nodes) {
      const auto original = leaf_of_node_.find(record.original_node);
      if (record.nvtx_path == 0 && original != leaf_of_node_.end())
        leaf_of_node_[record.node] = original->second;
    }
  }

  [[nodiscard]] std::uint32_t leaf(std::uint64_t node) const {
    if (node == 0 || leaf_of_node_.empty()) return kNone;
    const auto found = leaf_of_node_.find(node);
    return found == leaf_of_node_.end() ? kNone : found->second;
  }
  [[nodiscard]] const Entry& entry(std::uint32_t id) const { return entries_[id]; }

 private:
  std::uint32_t intern(std::string_view path) {
    if (const auto known = ids_.find(std::string(path)); known != ids_.end()) return known->second;
    const std::size_t slash = path.rfind('/');
    const std::uint32_t parent = slash == path.npos ? kNone : intern(path.substr(0, slash));
    const std::string_view name = slash == path.npos ? path : path.substr(slash + 1);
    const auto id = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({.parent = parent, .collapsed = collapse_indices(name)});
    ids_.emplace(std::string(path), id);
    return id;
  }

  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::unordered_map<std::uint64_t, std::uint32_t> leaf_of_node_;
};

/// Places the operations of one process in the tree.
class ProcessProjection {
 public:
  ProcessProjection(const ProcessIndex& process, const ProcessSteps& steps, PathTree& tree)
      : process_(process),
        capture_(*process.capture),
        steps_(steps),
        tree_(tree),
        creation_(capture_),
        node_of_range_(capture_.ranges.size(), kNone),
        counted_(capture_.ranges.size(), 0),
        is_step_(capture_.ranges.size(), 0) {
    for (const std::uint32_t range : steps.ranges) is_step_[range] = 1;
    step_track_ = process.ranges_of(steps.thread);
  }

  void place(const Operation& op, std::int64_t end_ns) {
    if (op.launch == kNone) return;
    const ApiRecord& launch = capture_.api_calls[op.launch];
    const std::uint32_t step_range = step_range_of(op);
    bool by_time = false;
    const std::uint32_t range = owning_range(launch, step_range, by_time);
    std::uint32_t node = kNone;
    if (range != kNone) {
      node = node_of(range, step_range);
      count_instances(range, step_range);
    }
    if (by_time) tree_.mark_by_time(node);
    if (const std::uint32_t leaf = creation_.leaf(op.node); leaf != kNone) {
      count_creation(node, leaf, op.correlation);
      node = below(node, leaf);
    }
    if (node != kNone) tree_.own(node, op.start_ns, end_ns);
  }

 private:
  [[nodiscard]] std::uint32_t step_range_of(const Operation& op) const {
    if (op.step < 0 || steps_.ranges.empty()) return kNone;
    return steps_.ranges[static_cast<std::size_t>(op.step)];
  }

  /// The innermost range of the launching thread, else (by time) of the step's thread, else the
  /// step's own.
  [[nodiscard]] std::uint32_t owning_range(const ApiRecord& launch, std::uint32_t step_range,
                                           bool& by_time) {
    if (const ThreadTrack* track = track_of(launch.thread)) {
      // A range around the whole loop owns nothing by itself: the step inside it does.
      if (const Segment* own = segment_at(track, launch.start_ns)) {
        return step_range != kNone && encloses(own->item, step_range) ? step_range : own->item;
      }
    }
    if (steps_.source == StepSource::nvtx && launch.thread != steps_.thread) {
      const Segment* open = segment_at(step_track_, launch.start_ns);
      if (open != nullptr && !(step_range != kNone && encloses(open->item, step_range))) {
        by_time = open->item != step_range;
        return open->item;
      }
    }
    return step_range;
  }

  const ThreadTrack* track_of(std::uint32_t thread) {
    if (thread != last_thread_ || !have_thread_) {
      last_thread_ = thread;
      have_thread_ = true;
      last_track_ = process_.ranges_of(thread);
    }
    return last_track_;
  }

  /// The path of a range instance. Ranges outside the step's own range, or of other threads, hang
  /// below the step.
  std::uint32_t node_of(std::uint32_t range, std::uint32_t step_range) {
    std::uint32_t& known = node_of_range_[range];
    if (known != kNone) return known;
    const std::uint32_t parent = parent_of(range);
    const std::string name = collapse_indices(text_of(capture_, capture_.ranges[range].name));
    std::uint32_t above = kNone;
    if (parent != kNone) {
      above = node_of(parent, step_range);
    } else if (step_range != kNone && range != step_range && is_step_[range] == 0 &&
               !encloses(range, step_range)) {
      above = node_of(step_range, step_range);
    }
    return node_of_range_[range] = tree_.child(above, name);
  }

  [[nodiscard]] std::uint32_t parent_of(std::uint32_t range) const {
    return range < process_.range_parent.size() ? process_.range_parent[range] : kNone;
  }

  [[nodiscard]] bool encloses(std::uint32_t outer, std::uint32_t inner) const {
    for (std::uint32_t up = parent_of(inner); up != kNone; up = parent_of(up)) {
      if (up == outer) return true;
    }
    return false;
  }

  void count_instances(std::uint32_t range, std::uint32_t step_range) {
    for (std::uint32_t up = range; up != kNone && counted_[up] == 0; up = parent_of(up)) {
      counted_[up] = 1;
      tree_.count_instance(node_of(up, step_range));
    }
    if (step_range != kNone && counted_[step_range] == 0) count_instances(step_range, step_range);
  }

  /// The tree node of creation path `leaf` below `base`; a first part that repeats the base's name
  /// is not doubled.
  std::uint32_t below(std::uint32_t base, std::uint32_t leaf) {
    const std::uint64_t key = pair_key(base, leaf);
    if (const auto known = below_.find(key); known != below_.end()) return known->second;
    const CreationPaths::Entry& entry = creation_.entry(leaf);
    std::uint32_t node = base;
    if (entry.parent != kNone) {
      node = tree_.child(below(base, entry.parent), entry.collapsed);
    } else if (base == kNone || tree_.name(base) != entry.collapsed) {
      node = tree_.child(base, entry.collapsed);
    }
    below_.emplace(key, node);
    return node;
  }

  /// One instance per creation range and launch; a part that stands for the launch's own range is
  /// not counted again.
  void count_creation(std::uint32_t base, std::uint32_t leaf, std::uint32_t correlation) {
    for (std::uint32_t up = leaf; up != kNone; up = creation_.entry(up).parent) {
      if (!creation_counted_.insert(pair_key(correlation, up)).second) return;
      const std::uint32_t node = below(base, up);
      if (node != base) tree_.count_instance(node);
    }
  }

  const ProcessIndex& process_;
  const Capture& capture_;
  const ProcessSteps& steps_;
  PathTree& tree_;
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

}  // namespace

std::vector<RangeStat> project_ranges(const Timeline& timeline, const DeviceTimeline& device,
                                      const Window& window, std::span<const ProcessSteps> steps) {
  PathTree tree;
  std::vector<ProcessProjection> processes;
  processes.reserve(timeline.processes.size());
  for (std::size_t i = 0; i < timeline.processes.size(); ++i) {
    processes.emplace_back(timeline.processes[i], steps[i], tree);
  }
  for (const Operation& op : device.operations) {
    if (op.start_ns < window.start_ns) continue;
    if (op.start_ns >= window.end_ns) break;
    processes[op.process].place(op, std::min(op.end_ns, window.end_ns));
  }
  return tree.rows(kRangeRows);
}

}  // namespace perfgate::analysis
