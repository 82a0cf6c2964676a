#include "runner/analysis/metrics/metrics.h"
#include "runner/analysis/statistics.h"

namespace perfgate::analysis::metrics {
namespace {

std::string why_no_floor(const MetricInput& input) {
  if (!input.analysis.floor_problem.empty()) return input.analysis.floor_problem;
  return "the workload file declares no floor";
}

template <typename Value>
MetricSamples per_process(const MetricInput& input, Value value) {
  MetricSamples result;
  for (const ProcessTiming& process : input.timing.processes) {
    if (!process.step_ms.empty()) result.samples.push_back(value(median(process.step_ms)));
  }
  if (result.samples.empty()) result.missing = "no untraced process has step times";
  return result;
}

}  // namespace

Samples achieved_bytes_per_s(const MetricInput& input, std::string_view) {
  const auto& floor = input.analysis.floor;
  if (!floor || floor->bytes_per_step <= 0.0) return no_samples(why_no_floor(input));
  return per_process(input, [&](double step_ms) { return floor->bytes_per_step / step_ms * 1e3; });
}

Samples floor_percent(const MetricInput& input, std::string_view) {
  const auto& floor = input.analysis.floor;
  if (!floor || floor->against.empty()) return no_samples(why_no_floor(input));
  // The first ceiling (datasheet, if the GPU is known) does not move from run to run, as a measured
  // one does.
  const double floor_ms = floor->against.front().floor_ms;
  return per_process(input, [&](double step_ms) { return 100.0 * floor_ms / step_ms; });
}

}  // namespace perfgate::analysis::metrics
