#include "runner/analysis/range_places.h"

#include <utility>

#include "runner/analysis/range_names.h"

namespace perfgate::analysis {
namespace {

std::uint64_t pair_key(std::uint32_t high, std::uint32_t low) {
  return (std::uint64_t{high} << 32U) | low;
}

}  // namespace

CreationPaths::CreationPaths(const Capture& capture) {
  std::unordered_map<StringId, std::uint32_t> leaves;
  for (const GraphNodeRecord& record : capture.graph_nodes) {
    if (record.nvtx_path == 0) continue;
    const auto [at, is_new] = leaves.try_emplace(record.nvtx_path, kNone);
    if (is_new) at->second = intern(text_of(capture, record.nvtx_path));
    leaf_of_node_[record.node] = at->second;
  }
  for (const GraphNodeRecord& record : capture.graph_nodes) {
    const auto original = leaf_of_node_.find(record.original_node);
    if (record.nvtx_path == 0 && original != leaf_of_node_.end())
      leaf_of_node_[record.node] = original->second;
  }
}

std::uint32_t CreationPaths::leaf(std::uint64_t node) const {
  if (node == 0 || leaf_of_node_.empty()) return kNone;
  const auto found = leaf_of_node_.find(node);
  return found == leaf_of_node_.end() ? kNone : found->second;
}

std::uint32_t CreationPaths::intern(std::string_view path) {
  std::uint32_t node = kNone;
  while (true) {
    const std::size_t slash = path.find('/');
    node = paths_.child(node, std::string(path.substr(0, slash)));
    if (slash == path.npos) return node;
    path.remove_prefix(slash + 1);
  }
}

RangePlaces::RangePlaces(const ProcessIndex& process, const ProcessSteps& steps, PathTree& tree,
                         PlaceNames names)
    : process_(process),
      capture_(*process.capture),
      steps_(steps),
      tree_(tree),
      names_(names),
      creation_(capture_),
      node_of_range_(capture_.ranges.size(), kNone),
      counted_(capture_.ranges.size(), 0),
      is_step_(capture_.ranges.size(), 0) {
  for (const std::uint32_t range : steps.ranges) is_step_[range] = 1;
  step_track_ = process.ranges_of(steps.thread);
}

std::uint32_t RangePlaces::place(const Operation& op) {
  if (op.launch == kNone) return kNone;
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
  return node;
}

std::uint32_t RangePlaces::step_range_of(const Operation& op) const {
  if (op.step < 0 || steps_.ranges.empty()) return kNone;
  return steps_.ranges[static_cast<std::size_t>(op.step)];
}

/// The innermost range of the launching thread, else (by time) of the step's thread, else the
/// step's own.
std::uint32_t RangePlaces::owning_range(const ApiRecord& launch, std::uint32_t step_range,
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

const ThreadTrack* RangePlaces::track_of(std::uint32_t thread) {
  if (thread != last_thread_ || !have_thread_) {
    last_thread_ = thread;
    have_thread_ = true;
    last_track_ = process_.ranges_of(thread);
  }
  return last_track_;
}

/// The path of a range instance. Ranges outside the step's own range, or of other threads, hang
/// below the step.
std::uint32_t RangePlaces::node_of(std::uint32_t range, std::uint32_t step_range) {
  std::vector<std::uint32_t> chain;  // up to the first whose node is known, or the outermost
  std::uint32_t up = range;
  for (; up != kNone && node_of_range_[up] == kNone; up = parent_of(up)) chain.push_back(up);
  std::uint32_t above = kNone;
  if (up != kNone) {
    above = node_of_range_[up];
  } else if (const std::uint32_t outermost = chain.back();
             step_range != kNone && outermost != step_range && is_step_[outermost] == 0 &&
             !encloses(outermost, step_range)) {
    above = node_of(step_range, step_range);
  }
  for (auto each = chain.rbegin(); each != chain.rend(); ++each)
    above = node_of_range_[*each] = tree_.child(above, name_of(*each, step_range, above));
  return above;
}

std::uint32_t RangePlaces::parent_of(std::uint32_t range) const {
  return range < process_.range_parent.size() ? process_.range_parent[range] : kNone;
}

bool RangePlaces::encloses(std::uint32_t outer, std::uint32_t inner) const {
  return process_.range_encloses(outer, inner);
}

void RangePlaces::count_instances(std::uint32_t range, std::uint32_t step_range) {
  for (std::uint32_t up = range; up != kNone && counted_[up] == 0; up = parent_of(up)) {
    counted_[up] = 1;
    tree_.count_instance(node_of(up, step_range));
  }
  if (step_range != kNone && counted_[step_range] == 0) count_instances(step_range, step_range);
}

/// The tree node of creation path `leaf` below `base`; a first part that repeats the base's name
/// is not doubled.
std::uint32_t RangePlaces::below(std::uint32_t base, std::uint32_t leaf) {
  const std::uint64_t key = pair_key(base, leaf);
  if (const auto known = below_.find(key); known != below_.end()) return known->second;
  const std::string collapsed = collapse_indices(creation_.name(leaf));
  const std::string& name = names_ == PlaceNames::exact ? creation_.name(leaf) : collapsed;
  std::uint32_t node = base;
  if (creation_.parent(leaf) != kNone) {
    node = tree_.child(below(base, creation_.parent(leaf)), name);
  } else if (base == kNone) {
    node = tree_.child(base, collapsed);
  } else if (tree_.name(base) != collapsed) {
    node = tree_.child(base, name);
  }
  below_.emplace(key, node);
  return node;
}

/// One instance per creation range and launch; a part that stands for the launch's own range is
/// not counted again.
void RangePlaces::count_creation(std::uint32_t base, std::uint32_t leaf,
                                 std::uint32_t correlation) {
  for (std::uint32_t up = leaf; up != kNone; up = creation_.parent(up)) {
    if (!creation_counted_.insert(pair_key(correlation, up)).second) return;
    const std::uint32_t node = below(base, up);
    if (node != base) tree_.count_instance(node);
  }
}

/// A number tells instances apart below the step; that of the step itself, and of what is around
/// it, only counts.
std::string RangePlaces::name_of(std::uint32_t range, std::uint32_t step_range,
                                 std::uint32_t above) const {
  const std::string& name = text_of(capture_, capture_.ranges[range].name);
  const bool below_step = step_range != kNone ? !encloses(range, step_range) : above != kNone;
  const bool exact = names_ == PlaceNames::exact && below_step && is_step_[range] == 0;
  return exact ? name : collapse_indices(name);
}

}  // namespace perfgate::analysis
