#include "gates/drift.h"

#include <algorithm>
#include <cmath>

#include "gates/statistics.h"
#include "runner/model/median.h"

namespace perfgate::gates {
namespace {

/// Siegmund's correction for the overshoot over the threshold: 2 x 0.583.
constexpr double kOvershoot = 1.166;
/// Far beyond the threshold for a million metrics.
constexpr double kHighestThreshold = 64.0;
constexpr int kHalvings = 60;

}  // namespace

double cusum_next(double sum, double z) { return std::max(0.0, sum + z - kCusumSlack); }

double cusum_run_length(double threshold) {
  const double reach = 2.0 * kCusumSlack * (threshold + kOvershoot);
  return (std::exp(reach) - reach - 1.0) / (2.0 * kCusumSlack * kCusumSlack);
}

double cusum_threshold(int metrics) {
  const double wanted = kPointsToFalseAlarm * static_cast<double>(std::max(metrics, 1));
  double low = 0.0;
  double high = kHighestThreshold;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2.0;
    (cusum_run_length(middle) < wanted ? low : high) = middle;
  }
  return high;
}

Drift drift(std::span<const double> series, const DriftWatch& watch) {
  Drift found{.threshold = cusum_threshold(watch.metrics)};
  const double rho = watch.correlation.value_or(lag_correlation(series));
  const double scale = std::sqrt((1.0 - rho) / (1.0 + rho)) / watch.sd;
  std::size_t began = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (found.sum <= 0.0) began = i;
    found.sum = cusum_next(found.sum, (series[i] - watch.pinned - watch.uncertainty) * scale);
  }
  if (found.sum > found.threshold) found.since = began;
  if (series.size() >= kRecentPoints) {
    found.recent_shift = median(series.last(kRecentPoints)) - watch.pinned;
    found.beyond_margin = *found.recent_shift > watch.margin;
  }
  return found;
}

}  // namespace perfgate::gates
