#include "gates/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>

#include "runner/statistics/welch.h"

namespace perfgate::gates {
namespace {

/// Scales a median absolute deviation to a standard deviation of normal data.
constexpr double kMadToSd = 1.4826;
constexpr double kClipAtSds = 3.0;
/// Beyond this the effective number of runs is below 1/19 of the count; the estimate is noise
/// there.
constexpr double kHighestCorrelation = 0.9;

/// By the number of looks, from 0.
constexpr std::array kLevels{0.05, 0.05, 0.0294, 0.0221, 0.0182, 0.0158};
/// By the number of values, from 0.
constexpr std::array kFactors{1.0,    1.0,    1.0,    1.3460, 1.1928, 1.4342, 1.2886,
                              1.4731, 1.3458, 1.4949, 1.3839, 1.5088, 1.4111};

std::vector<double> clipped_differences(std::span<const double> series) {
  std::vector<double> differences;
  for (std::size_t i = 1; i < series.size(); ++i) differences.push_back(series[i] - series[i - 1]);
  const double centre = median(differences);
  std::vector<double> distances;
  distances.reserve(differences.size());
  for (const double d : differences) distances.push_back(std::abs(d - centre));
  const double reach = kClipAtSds * kMadToSd * median(distances);
  if (reach > 0.0) {
    for (double& d : differences) d = std::clamp(d, centre - reach, centre + reach);
  }
  return differences;
}

}  // namespace

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double sample_sd(std::span<const double> values) {
  if (values.size() < 2) return 0.0;
  const double centre = mean(values);
  double squares = 0.0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double pocock_level(int looks) {
  const auto index = static_cast<std::size_t>(std::max(looks, 1));
  if (index < kLevels.size()) return kLevels.at(index);
  return kLevels.front() / static_cast<double>(index);
}

double median_variance_factor(int n) {
  const auto index = static_cast<std::size_t>(std::max(n, 1));
  return index < kFactors.size() ? kFactors.at(index) : std::numbers::pi / 2.0;
}

double lag_correlation(std::span<const double> series) {
  if (series.size() < kShortestForCorrelation) return 0.0;
  const std::vector<double> differences = clipped_differences(series);
  const double centre = mean(differences);
  double squares = 0.0;
  double products = 0.0;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    squares += (differences[i] - centre) * (differences[i] - centre);
    if (i > 0) products += (differences[i] - centre) * (differences[i - 1] - centre);
  }
  if (squares <= 0.0) return 0.0;
  return std::clamp(1.0 + 2.0 * products / squares, 0.0, kHighestCorrelation);
}

double difference_sd(std::span<const double> series, double correlation) {
  if (series.size() < 3) return 0.0;
  return sample_sd(clipped_differences(series)) / std::sqrt(2.0 * (1.0 - correlation));
}

std::vector<bool> holm_rejects(std::span<const double> p_values, double level) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p_values[i]; });
  std::vector<bool> rejects(p_values.size(), false);
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const double remaining = static_cast<double>(order.size() - rank);
    if (!(p_values[order[rank]] <= level / remaining)) break;
    rejects[order[rank]] = true;
  }
  return rejects;
}

Interval t_interval(double estimate, double standard_error, double degrees, double level) {
  return {.estimate = estimate,
          .standard_error = standard_error,
          .degrees = degrees,
          .half_width = student_t_quantile(1.0 - level / 2.0, degrees) * standard_error};
}

Interval welch_interval(std::span<const double> base, std::span<const double> head, double level) {
  const statistics::MeanDifference difference = statistics::mean_difference(base, head);
  return t_interval(difference.head - difference.base, difference.standard_error,
                    difference.degrees, level);
}

}  // namespace perfgate::gates
