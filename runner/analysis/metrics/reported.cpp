#include <set>

#include "runner/analysis/metrics/metrics.h"

namespace perfgate::analysis::metrics {
namespace {

bool counts(const ProcessRecord& process) {
  return process.role == ProcessRole::timing && process.state == ProcessState::ok &&
         !process.repeated && process.results.has_value();
}

}  // namespace

Samples reported(const MetricInput& input, std::string_view name) {
  MetricSamples result;
  for (const ProcessRecord& process : input.processes) {
    if (!counts(process)) continue;
    for (const ReportedMetric& metric : process.results->metrics) {
      if (metric.name != name) continue;
      if (!result.samples.empty() && metric.unit != result.unit) {
        return no_samples("the processes report '" + std::string(name) + "' in different units: '" +
                          result.unit + "' and '" + metric.unit + "'");
      }
      result.samples.push_back(metric.value);
      result.unit = metric.unit;
      result.better = metric.better;
    }
  }
  if (result.samples.empty())
    result.missing = "no untraced process reports a metric '" + std::string(name) + "'";
  return result;
}

std::vector<std::string> names_reported(const MetricInput& input) {
  std::set<std::string> names;
  for (const ProcessRecord& process : input.processes) {
    if (!counts(process)) continue;
    for (const ReportedMetric& metric : process.results->metrics) names.insert(metric.name);
  }
  return {names.begin(), names.end()};
}

}  // namespace perfgate::analysis::metrics
