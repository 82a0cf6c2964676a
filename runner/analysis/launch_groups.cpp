#include "runner/analysis/launch_groups.h"

namespace perfgate::analysis {

LaunchShape launch_shape(const Timeline& timeline, const Operation& op) {
  LaunchShape shape;
  shape.name = op.name;
  if (op.kind != OperationKind::kernel) return shape;
  const KernelRecord& record = timeline.processes[op.process].capture->kernels[op.record];
  shape.grid = record.grid;
  shape.block = record.block;
  shape.registers = record.registers_per_thread;
  shape.shared_bytes = record.static_shared_bytes + record.dynamic_shared_bytes;
  return shape;
}

std::size_t LaunchShapeHash::operator()(const LaunchShape& shape) const {
  std::uint64_t hash = shape.name ^ shape.code_hash;
  const auto mix = [&](std::uint32_t value) {
    hash = (hash ^ (hash >> 29U) ^ value) * 0xbf58476d1ce4e5b9ULL;
  };
  for (const std::uint32_t value : shape.grid) mix(value);
  for (const std::uint32_t value : shape.block) mix(value);
  mix(shape.registers);
  mix(shape.shared_bytes);
  mix(shape.place);
  return static_cast<std::size_t>(hash ^ (hash >> 32U));
}

void GroupedDurations::add(std::uint32_t group, std::int64_t duration_ns) {
  if (group >= count_.size()) count_.resize(group + std::size_t{1}, 0);
  ++count_[group];
  group_of_.push_back(group);
  duration_ns_.push_back(duration_ns);
}

void GroupedDurations::arrange() {
  first_.assign(count_.size() + 1, 0);
  for (std::size_t i = 0; i < count_.size(); ++i) first_[i + 1] = first_[i] + count_[i];
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  std::vector<std::int64_t> sorted(duration_ns_.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[next[group_of_[i]]++] = duration_ns_[i];
  duration_ns_ = std::move(sorted);
  group_of_.clear();
}

std::span<std::int64_t> GroupedDurations::of(std::uint32_t group) {
  if (group >= count_.size()) return {};
  return std::span(duration_ns_).subspan(first_[group], count_[group]);
}

}  // namespace perfgate::analysis
