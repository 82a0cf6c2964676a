#include "gates/pinned_level.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

namespace perfgate::gates {
namespace {

constexpr std::size_t kLeastRuns = 4;

/// The runs' distances are from the mean of the others: R / (R - 1) times those from the mean.
double successive_variance(std::span<const RunDistance> runs) {
  const auto count = static_cast<double>(runs.size());
  const double scale = (count - 1.0) / count;
  const double mean = scale * (runs.back().off - runs.front().off) / (count - 1.0);
  double sum = 0.0;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const double off = scale * (runs[i].off - runs[i - 1].off) - mean;
    sum += off * off;
  }
  return sum / (2.0 * (count - 2.0));
}

}  // namespace

StoreLevel without_drift(const StoreLevel& level, const BaselineSeries& series) {
  if (level.distances.size() < kLeastRuns) return level;
  double sd = std::sqrt(successive_variance(level.distances));
  if (level.scale == Scale::log) sd = std::max(sd, series.calibrated_sd_ratio.value_or(0.0));
  if (!(sd < level.run_sd)) return level;
  StoreLevel steady = level;
  steady.run_sd = sd;
  const auto runs = static_cast<double>(level.distances.size());
  steady.degrees = std::max(1.0, std::min(level.degrees, 2.0 * (runs - 2.0) / 3.0));
  steady.correlation = 0.0;
  steady.level_variance = sd * sd / runs;
  return steady;
}

std::optional<AgainstPinned> against_pinned(const MetricCase& metric, const StoreLevel& level,
                                            const Frame& frame, int n_head,
                                            double head_process_sd) {
  const std::optional<double>& pinned = metric.base.pinned;
  if (!pinned || !std::isfinite(*pinned) || *pinned <= 0.0) return std::nullopt;
  const std::string& pinned_on = metric.base.pinned_instance;
  if (level.own_alone && !pinned_on.empty() && pinned_on != metric.head_instance)
    return std::nullopt;
  const StoreLevel steady = without_drift(level, metric.base);
  AgainstPinned found{.frame = frame, .row = outline(metric.gate, metric.head, metric.base)};
  found.frame.base = found.row.base = *pinned;
  found.row.delta_ratio = found.row.head / *pinned - 1.0;
  set_bounds(metric.gate, steady.run_sd, found.frame, found.row);
  const double head = on_scale(metric.head.value, level.scale);
  const double variance =
      head_variance(steady, n_head, head_process_sd) + steady.run_sd * steady.run_sd;
  found.worse.estimate = frame.direction * (head - on_scale(*pinned, level.scale));
  found.worse.standard_error = std::sqrt(variance);
  found.worse.degrees = steady.degrees;
  found.worse.half_width = student_t_quantile(1.0 - metric.look_level / 2.0, steady.degrees) *
                           found.worse.standard_error;
  return found;
}

}  // namespace perfgate::gates
