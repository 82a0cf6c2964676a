#include "runner/analysis/metrics/metrics.h"
#include "runner/analysis/statistics.h"

namespace perfgate::analysis::metrics {
namespace {

template <typename Statistic>
MetricSamples per_process(const MetricInput& input, Statistic statistic) {
  MetricSamples result;
  for (const ProcessTiming& process : input.timing.processes) {
    if (!process.step_ms.empty()) result.samples.push_back(statistic(process.step_ms));
  }
  if (result.samples.empty()) result.missing = "no untraced process has step times";
  return result;
}

}  // namespace

Samples step_time_p50(const MetricInput& input, std::string_view) {
  return per_process(input, [](const std::vector<double>& steps) { return median(steps); });
}

Samples step_time_p05(const MetricInput& input, std::string_view) {
  return per_process(input, [](const std::vector<double>& steps) { return quantile(steps, 0.05); });
}

Samples step_time_p90(const MetricInput& input, std::string_view) {
  return per_process(input, [](const std::vector<double>& steps) { return quantile(steps, 0.9); });
}

Samples step_time_mean(const MetricInput& input, std::string_view) {
  return per_process(input, [](const std::vector<double>& steps) { return mean(steps); });
}

Samples tokens_per_s(const MetricInput& input, std::string_view) {
  if (!input.work || !input.work->tokens || *input.work->tokens <= 0.0) {
    return no_samples("the results file has no work line with tokens");
  }
  const double tokens = *input.work->tokens;
  return per_process(
      input, [&](const std::vector<double>& steps) { return tokens / median(steps) * 1e3; });
}

}  // namespace perfgate::analysis::metrics
