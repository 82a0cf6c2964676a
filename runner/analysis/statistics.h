/// Statistics that analysis and metrics share. Pure; empty input gives 0.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runner/model/median.h"
#include "runner/statistics/welch.h"

namespace perfgate::analysis {

/// Quantile `q` in [0, 1] by linear interpolation between order statistics (Hyndman and Fan's type
/// 7, as numpy and R do by default).
[[nodiscard]] inline double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0.0;
  std::ranges::sort(values);
  const double position = q * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(std::floor(position));
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (position - static_cast<double>(low)) * (values[high] - values[low]);
}

[[nodiscard]] inline double median(std::span<const double> values) {
  return values.empty() ? 0.0 : perfgate::median(values);
}

[[nodiscard]] inline double mean(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

/// Fewer traced processes a side say nothing about their spread.
inline constexpr std::size_t kFewestForInterval = 3;
using statistics::MeanDifference;
[[nodiscard]] inline MeanDifference mean_difference(std::span<const double> base,
                                                    std::span<const double> head) {
  return statistics::mean_difference(base, head, kFewestForInterval);
}

/// Median of integers, rounded down between the two middle ones. Reorders [first, last).
template <typename Iterator>
[[nodiscard]] std::int64_t integer_median(Iterator first, Iterator last) {
  const auto count = last - first;
  if (count == 0) return 0;
  const auto middle = first + count / 2;
  std::nth_element(first, middle, last);
  const std::int64_t upper = *middle;
  if (count % 2 == 1) return upper;
  const std::int64_t lower = *std::max_element(first, middle);
  return lower + (upper - lower) / 2;
}

[[nodiscard]] inline std::int64_t integer_median(std::span<const std::int64_t> values) {
  std::vector<std::int64_t> copy(values.begin(), values.end());
  return integer_median(copy.begin(), copy.end());
}

struct Weighted {
  std::int64_t value = 0;
  std::int64_t weight = 0;
};

/// The smallest value that, with all below it, holds half of the weight.
[[nodiscard]] inline std::int64_t weighted_median(std::vector<Weighted> values) {
  std::ranges::sort(values, {}, &Weighted::value);
  std::int64_t total = 0;
  for (const Weighted& each : values) total += each.weight;
  std::int64_t below = 0;
  for (const Weighted& each : values) {
    below += each.weight;
    if (2 * below >= total) return each.value;
  }
  return 0;
}

}  // namespace perfgate::analysis
