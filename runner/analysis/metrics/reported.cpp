#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "runner/analysis/metrics/metrics.h"

namespace perfgate::analysis::metrics {
namespace {

bool counts(const ProcessRecord& process) {
  return process.role == ProcessRole::timing && process.state == ProcessState::ok &&
         !process.repeated && process.results.has_value();
}

/// "process 3 does not", "processes 1 and 3 do not".
std::string without_text(const std::vector<int>& processes) {
  std::string text = processes.size() == 1 ? "process " : "processes ";
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (i > 0) text += i + 1 == processes.size() ? " and " : ", ";
    text += std::to_string(processes[i]);
  }
  return text + (processes.size() == 1 ? " does not" : " do not");
}

}  // namespace

Samples reported(const MetricInput& input, std::string_view name) {
  MetricSamples result;
  std::vector<int> without;
  for (const ProcessRecord& process : input.processes) {
    if (!counts(process)) continue;
    const std::size_t before = result.samples.size();
    for (const ReportedMetric& metric : process.results->metrics) {
      if (metric.name != name) continue;
      if (!result.samples.empty() && metric.better != result.better) {
        return no_samples("the processes do not agree whether lower or higher is better for '" +
                          std::string(name) + "'");
      }
      if (!result.samples.empty() && metric.unit != result.unit) {
        return no_samples("the processes report '" + std::string(name) + "' in different units: '" +
                          result.unit + "' and '" + metric.unit + "'");
      }
      result.samples.push_back(metric.value);
      result.unit = metric.unit;
      result.better = metric.better;
    }
    if (result.samples.size() == before) without.push_back(process.index);
  }
  if (!result.samples.empty() && !without.empty()) {
    return no_samples("only some of the processes report '" + std::string(name) +
                      "': " + without_text(without));
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
