#include "runner/cli/run/history.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace perfgate::cli {
namespace {

std::string value_of(const std::map<std::string, std::string>& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? std::string() : found->second;
}

bool is_series_of(const BaselineSeries& series, const Comparison& row) {
  return series.metric == row.metric && series.kind == row.kind && series.unit == row.unit &&
         series.better.value_or(row.better) == row.better;
}

/// Of marks of the host one run has the median, another one the mean over the block (assess.cpp).
bool same_figures(const baselines::Selection& baseline, const RunResult& result) {
  if (!baseline.choice.exists || !baseline.choice.comparability.environment.empty()) return false;
  static const std::string kKey = "step_times";
  return value_of(baseline.newest.subject, kKey) ==
         value_of(result.measurement.fingerprint.subject, kKey);
}

}  // namespace

void keep_history(const baselines::Selection& baseline, RunResult& result) {
  if (!same_figures(baseline, result)) return;
  const std::string gpu = value_of(result.measurement.fingerprint.instance, "gpu_uuid");
  for (Comparison& row : result.comparisons) {
    const auto series = std::ranges::find_if(
        baseline.series, [&](const auto& one) { return is_series_of(one, row); });
    if (series == baseline.series.end()) continue;
    for (const BaselinePoint& point : series->points) {
      const bool left_out = row.other_gpu_runs > 0 && point.instance != gpu;
      if (std::isfinite(point.value) && !left_out) row.history.push_back(point.value);
    }
    const std::size_t more = row.history.size() - std::min(row.history.size(), kRunsOfHistory);
    row.history.erase(row.history.begin(), row.history.begin() + static_cast<std::ptrdiff_t>(more));
  }
}

}  // namespace perfgate::cli
