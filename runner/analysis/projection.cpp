#include "runner/analysis/projection.h"

#include <algorithm>

#include "runner/analysis/path_tree.h"
#include "runner/analysis/range_places.h"

namespace perfgate::analysis {

std::vector<RangeStat> project_ranges(const Timeline& timeline, const DeviceTimeline& device,
                                      const Window& window, std::span<const ProcessSteps> steps) {
  PathTree tree;
  std::vector<RangePlaces> processes;
  processes.reserve(timeline.processes.size());
  for (std::size_t i = 0; i < timeline.processes.size(); ++i) {
    processes.emplace_back(timeline.processes[i], steps[i], tree, PlaceNames::collapsed);
  }
  for (const Operation& op : device.operations) {
    if (op.start_ns < window.start_ns) continue;
    if (op.start_ns >= window.end_ns) break;
    const std::uint32_t node = processes[op.process].place(op);
    if (node != kNone) tree.own(node, op.start_ns, std::min(op.end_ns, window.end_ns));
  }
  return tree.rows(kRangeRows);
}

}  // namespace perfgate::analysis
