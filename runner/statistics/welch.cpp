#include "runner/statistics/welch.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runner/statistics/student_t.h"

namespace perfgate::statistics {
namespace {

double mean(std::span<const double> values) {
  if (values.empty()) return 0.0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Squared standard error of the mean, of two values or more.
double error_squared(std::span<const double> values, double centre) {
  double squares = 0.0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  const double sd = std::sqrt(squares / static_cast<double>(values.size() - 1));
  return sd * sd / static_cast<double>(values.size());
}

}  // namespace

MeanDifference mean_difference(std::span<const double> base, std::span<const double> head,
                               std::size_t fewest) {
  MeanDifference result{.base = mean(base), .head = mean(head)};
  if (std::min(base.size(), head.size()) < std::max<std::size_t>(fewest, 2)) return result;
  const double base_part = error_squared(base, result.base);
  const double head_part = error_squared(head, result.head);
  const double variance = base_part + head_part;
  const auto base_degrees = static_cast<double>(base.size() - 1);
  const auto head_degrees = static_cast<double>(head.size() - 1);
  result.standard_error = std::sqrt(variance);
  result.degrees =
      variance > 0.0
          ? variance * variance /
                (base_part * base_part / base_degrees + head_part * head_part / head_degrees)
          : base_degrees + head_degrees;
  return result;
}

std::optional<double> half_width(const MeanDifference& difference, double coverage) {
  if (difference.degrees <= 0.0) return std::nullopt;
  return student_t_quantile((1.0 + coverage) / 2.0, difference.degrees) * difference.standard_error;
}

}  // namespace perfgate::statistics
