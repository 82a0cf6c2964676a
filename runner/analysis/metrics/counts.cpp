#include "runner/analysis/metrics/metrics.h"

namespace perfgate::analysis::metrics {
namespace {

template <typename Count>
MetricSamples per_step(const MetricInput& input, Count count) {
  MetricSamples result;
  for (const TracedProcess& process : input.analysis.traced) {
    if (process.steps <= 0) continue;
    result.samples.push_back(static_cast<double>(count(process)) /
                             static_cast<double>(process.steps));
  }
  if (result.samples.empty()) result.missing = "no traced process has a window of whole steps";
  return result;
}

}  // namespace

Samples kernel_launches(const MetricInput& input, std::string_view) {
  return per_step(input, [](const TracedProcess& process) { return process.kernel_launches; });
}

Samples launch_calls(const MetricInput& input, std::string_view) {
  return per_step(input, [](const TracedProcess& process) { return process.api_launches; });
}

Samples graph_launches(const MetricInput& input, std::string_view) {
  return per_step(input, [](const TracedProcess& process) { return process.graph_launches; });
}

Samples copies(const MetricInput& input, std::string_view) {
  return per_step(input, [](const TracedProcess& process) { return process.copies; });
}

}  // namespace perfgate::analysis::metrics
