/// The interval of a difference of two means with unequal variances: Welch's t, Satterthwaite's
/// degrees of freedom. Pure.
///
/// s^2 = s_b^2 / n_b + s_h^2 / n_h;  degrees = s^4 / ((s_b^2 / n_b)^2 / (n_b - 1) + the same of h).
/// Values that do not vary at all have a standard error of 0 and n_b + n_h - 2 degrees.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace perfgate::statistics {

struct MeanDifference {
  double base = 0.0;  ///< means; 0 of an empty side
  double head = 0.0;
  double standard_error = 0.0;  ///< of head - base
  double degrees = 0.0;         ///< 0 = no interval: too few values on a side
};
/// `fewest` values that a side needs for an interval, at least 2.
[[nodiscard]] MeanDifference mean_difference(std::span<const double> base,
                                             std::span<const double> head, std::size_t fewest = 2);

/// t((1 + coverage) / 2) x standard error; empty without degrees of freedom.
[[nodiscard]] std::optional<double> half_width(const MeanDifference& difference, double coverage);

}  // namespace perfgate::statistics
