#include "runner/analysis/floors.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace perfgate::analysis {
namespace {

std::optional<double> usable(std::optional<double> value) {
  return value && *value > 0.0 ? value : std::nullopt;
}

/// Bytes and FLOP with where they came from.
void add_work(const FloorSpec& spec, const std::optional<WorkDone>& work, FloorResult& floor) {
  bool from_file = false;
  bool from_line = false;
  const auto part = [&](const char* name, std::optional<double> declared,
                        std::optional<double> reported) {
    const std::optional<double> value = usable(declared) ? usable(declared) : usable(reported);
    if (!value) return;
    (usable(declared) ? from_file : from_line) = true;
    floor.parts_bytes[name] = *value;
    floor.bytes_per_step += *value;
  };
  if (usable(spec.bytes_per_step)) {
    part("declared", spec.bytes_per_step, std::nullopt);
  } else {
    part("weights", spec.weights_bytes, work ? work->weights_bytes : std::nullopt);
    part("kv_cache", spec.kv_cache_bytes, work ? work->kv_bytes : std::nullopt);
  }
  const std::optional<double> flops = usable(spec.flops_per_step);
  const std::optional<double> reported = work ? usable(work->flops) : std::nullopt;
  floor.flops_per_step = flops.value_or(reported.value_or(0.0));
  if (from_file)
    floor.bytes_source = from_line ? "workload file and work line" : "workload file";
  else if (from_line)
    floor.bytes_source = "work line";
}

std::optional<FloorResult::Against> against(const FloorResult& floor,
                                            const RooflineCeiling& ceiling, double step_ms) {
  const double bandwidth = usable(ceiling.bandwidth_bytes_per_s).value_or(0.0);
  const double rate = usable(ceiling.rate_flop_per_s).value_or(0.0);
  FloorResult::Against row{.ceiling = ceiling};
  if (bandwidth > 0.0) row.memory_floor_ms = floor.bytes_per_step / bandwidth * 1e3;
  if (rate > 0.0) row.compute_floor_ms = floor.flops_per_step / rate * 1e3;
  row.floor_ms = std::max(row.memory_floor_ms, row.compute_floor_ms);
  if (row.floor_ms <= 0.0) return std::nullopt;
  row.memory_bound = row.memory_floor_ms >= row.compute_floor_ms;
  if (step_ms > 0.0) row.percent_of_floor = 100.0 * row.floor_ms / step_ms;
  if (bandwidth > 0.0 && rate > 0.0) row.ridge_flop_per_byte = rate / bandwidth;
  return row;
}

std::string what_to_declare() {
  return "no bytes or FLOP per step are known: declare floor.weights and floor.kv_cache, "
         "floor.bytes or floor.flops "
         "in the workload file, or have the program write a work line (weights_bytes, kv_bytes, "
         "flops)";
}

}  // namespace

FloorOutcome compute_floor(const FloorSpec& spec, const std::optional<WorkDone>& work,
                           std::span<const RooflineCeiling> ceilings, double step_ms) {
  FloorOutcome outcome;
  if (!spec.declared) return outcome;
  FloorResult floor;
  add_work(spec, work, floor);
  if (floor.bytes_per_step <= 0.0 && floor.flops_per_step <= 0.0) {
    outcome.problem = what_to_declare();
    return outcome;
  }
  std::vector<RooflineCeiling> all(ceilings.begin(), ceilings.end());
  if (spec.bandwidth_bytes_per_s || spec.rate_flop_per_s) {
    all.push_back({.bandwidth_bytes_per_s = spec.bandwidth_bytes_per_s,
                   .rate_flop_per_s = spec.rate_flop_per_s,
                   .source = "workload file"});
  }
  for (const RooflineCeiling& ceiling : all) {
    if (auto row = against(floor, ceiling, step_ms)) floor.against.push_back(std::move(*row));
  }
  if (step_ms > 0.0) {
    floor.achieved_bytes_per_s = floor.bytes_per_step / step_ms * 1e3;
    floor.achieved_flop_per_s = floor.flops_per_step / step_ms * 1e3;
  }
  if (floor.bytes_per_step > 0.0)
    floor.intensity_flop_per_byte = floor.flops_per_step / floor.bytes_per_step;
  if (floor.against.empty()) {
    outcome.problem =
        "the GPU's bandwidth and rate are unknown: run `perfgate calibrate`, or declare "
        "floor.bandwidth and floor.rate in the workload file";
  }
  outcome.floor = std::move(floor);
  return outcome;
}

}  // namespace perfgate::analysis
