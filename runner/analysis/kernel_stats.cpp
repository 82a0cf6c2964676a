#include "runner/analysis/kernel_stats.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "runner/analysis/launch_groups.h"
#include "runner/analysis/statistics.h"

namespace perfgate::analysis {
namespace {

KernelStat stat_of(const Timeline& timeline, const LaunchShape& shape,
                   std::span<std::int64_t> durations_ns) {
  KernelStat stat{.name = timeline.names[shape.name].text,
                  .family = timeline.details[timeline.names[shape.name].detail].family,
                  .calls = static_cast<std::int64_t>(durations_ns.size()),
                  .grid = shape.grid,
                  .block = shape.block,
                  .registers_per_thread = shape.registers,
                  .shared_bytes = shape.shared_bytes};
  for (const std::int64_t ns : durations_ns) stat.total_ns += ns;
  stat.min_ns = std::ranges::min(durations_ns);
  stat.max_ns = std::ranges::max(durations_ns);
  stat.median_ns = integer_median(durations_ns.begin(), durations_ns.end());
  return stat;
}

}  // namespace

std::vector<KernelStat> kernel_stats(const Timeline& timeline, const DeviceTimeline& device,
                                     const Window& window) {
  std::vector<LaunchShape> shapes;
  std::unordered_map<LaunchShape, std::uint32_t, LaunchShapeHash> ids;
  GroupedDurations durations;
  for (const Operation& op : device.operations) {
    if (op.kind != OperationKind::kernel || op.start_ns < window.start_ns) continue;
    if (op.start_ns >= window.end_ns && window.end_ns > window.start_ns) break;
    const LaunchShape shape = launch_shape(timeline, op);
    const auto [at, is_new] = ids.try_emplace(shape, static_cast<std::uint32_t>(shapes.size()));
    if (is_new) shapes.push_back(shape);
    durations.add(at->second, op.end_ns - op.start_ns);
  }
  durations.arrange();
  std::vector<KernelStat> stats;
  stats.reserve(shapes.size());
  for (std::uint32_t i = 0; i < shapes.size(); ++i)
    stats.push_back(stat_of(timeline, shapes[i], durations.of(i)));
  std::ranges::sort(stats, [](const KernelStat& a, const KernelStat& b) {
    return std::tie(b.total_ns, a.name, a.grid, a.block, a.registers_per_thread, a.shared_bytes) <
           std::tie(a.total_ns, b.name, b.grid, b.block, b.registers_per_thread, b.shared_bytes);
  });
  return stats;
}

}  // namespace perfgate::analysis
