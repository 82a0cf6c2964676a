#include "runner/analysis/welch.h"

#include <cmath>

#include <boost/math/distributions/students_t.hpp>

namespace perfgate::analysis {
namespace {

/// Mean and squared standard error of it.
struct Spread {
  double mean = 0.0;
  double error_squared = 0.0;
};

Spread spread_of(std::span<const double> values) {
  Spread spread;
  const auto n = static_cast<double>(values.size());
  for (const double value : values) spread.mean += value / n;
  if (values.size() < 2) return spread;
  for (const double value : values)
    spread.error_squared += (value - spread.mean) * (value - spread.mean) / (n * (n - 1.0));
  return spread;
}

}  // namespace

MeanDifference mean_difference(std::span<const double> base, std::span<const double> head) {
  const Spread b = spread_of(base);
  const Spread h = spread_of(head);
  MeanDifference result{.base = b.mean, .head = h.mean};
  if (base.size() < kFewestForInterval || head.size() < kFewestForInterval) return result;
  const double sum = b.error_squared + h.error_squared;
  result.standard_error = std::sqrt(sum);
  const double weight = b.error_squared * b.error_squared / static_cast<double>(base.size() - 1) +
                        h.error_squared * h.error_squared / static_cast<double>(head.size() - 1);
  result.degrees =
      weight > 0.0 ? sum * sum / weight : static_cast<double>(base.size() + head.size() - 2);
  return result;
}

std::optional<double> half_width(const MeanDifference& difference, double coverage) {
  if (difference.degrees <= 0.0) return std::nullopt;
  const boost::math::students_t_distribution<double> t(difference.degrees);
  return boost::math::quantile(t, (1.0 + coverage) / 2.0) * difference.standard_error;
}

}  // namespace perfgate::analysis
