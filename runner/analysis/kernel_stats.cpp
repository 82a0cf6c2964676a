#include "runner/analysis/kernel_stats.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "runner/analysis/statistics.h"

namespace perfgate::analysis {
namespace {

struct Shape {
  std::uint32_t name = 0;
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::uint32_t registers = 0;
  std::uint32_t shared_bytes = 0;
  bool operator==(const Shape&) const = default;
};

struct ShapeHash {
  std::size_t operator()(const Shape& shape) const {
    std::uint64_t hash = shape.name;
    const auto mix = [&](std::uint32_t value) {
      hash = (hash ^ (hash >> 29U) ^ value) * 0xbf58476d1ce4e5b9ULL;
    };
    for (const std::uint32_t value : shape.grid) mix(value);
    for (const std::uint32_t value : shape.block) mix(value);
    mix(shape.registers);
    mix(shape.shared_bytes);
    return static_cast<std::size_t>(hash ^ (hash >> 32U));
  }
};

/// Groups in order of first appearance, and each group's durations side by side in one array.
struct Groups {
  std::vector<Shape> shapes;
  std::vector<std::uint32_t> group_of;    ///< per kernel in the window
  std::vector<std::int64_t> duration_ns;  ///< likewise
  std::vector<std::size_t> count;
};

Groups group(const Timeline& timeline, const DeviceTimeline& device, const Window& window) {
  Groups groups;
  std::unordered_map<Shape, std::uint32_t, ShapeHash> ids;
  for (const Operation& op : device.operations) {
    if (op.kind != OperationKind::kernel || op.start_ns < window.start_ns) continue;
    if (op.start_ns >= window.end_ns && window.end_ns > window.start_ns) break;
    const KernelRecord& record = timeline.processes[op.process].capture->kernels[op.record];
    const Shape shape{.name = op.name,
                      .grid = record.grid,
                      .block = record.block,
                      .registers = record.registers_per_thread,
                      .shared_bytes = record.static_shared_bytes + record.dynamic_shared_bytes};
    const auto [at, is_new] =
        ids.try_emplace(shape, static_cast<std::uint32_t>(groups.shapes.size()));
    if (is_new) {
      groups.shapes.push_back(shape);
      groups.count.push_back(0);
    }
    ++groups.count[at->second];
    groups.group_of.push_back(at->second);
    groups.duration_ns.push_back(op.end_ns - op.start_ns);
  }
  return groups;
}

KernelStat stat_of(const Timeline& timeline, const Shape& shape,
                   std::vector<std::int64_t>::iterator first,
                   std::vector<std::int64_t>::iterator last) {
  KernelStat stat{.name = timeline.names[shape.name].text,
                  .family = timeline.details[timeline.names[shape.name].detail].family,
                  .calls = last - first,
                  .grid = shape.grid,
                  .block = shape.block,
                  .registers_per_thread = shape.registers,
                  .shared_bytes = shape.shared_bytes};
  for (auto at = first; at != last; ++at) stat.total_ns += *at;
  stat.min_ns = *std::min_element(first, last);
  stat.max_ns = *std::max_element(first, last);
  stat.median_ns = integer_median(first, last);
  return stat;
}

}  // namespace

std::vector<KernelStat> kernel_stats(const Timeline& timeline, const DeviceTimeline& device,
                                     const Window& window) {
  const Groups groups = group(timeline, device, window);
  std::vector<std::size_t> next(groups.shapes.size(), 0);
  for (std::size_t i = 1; i < next.size(); ++i) next[i] = next[i - 1] + groups.count[i - 1];
  std::vector<std::int64_t> sorted(groups.duration_ns.size());
  for (std::size_t i = 0; i < sorted.size(); ++i)
    sorted[next[groups.group_of[i]]++] = groups.duration_ns[i];
  std::vector<KernelStat> stats;
  for (std::size_t i = 0; i < groups.shapes.size(); ++i) {
    const auto last = sorted.begin() + static_cast<std::ptrdiff_t>(next[i]);
    stats.push_back(stat_of(timeline, groups.shapes[i],
                            last - static_cast<std::ptrdiff_t>(groups.count[i]), last));
  }
  std::ranges::sort(stats, [](const KernelStat& a, const KernelStat& b) {
    return std::tie(b.total_ns, a.name, a.grid, a.block, a.registers_per_thread, a.shared_bytes) <
           std::tie(a.total_ns, b.name, b.grid, b.block, b.registers_per_thread, b.shared_bytes);
  });
  return stats;
}

}  // namespace perfgate::analysis
