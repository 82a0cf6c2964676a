/// The interval of a difference of two means with unequal variances: Welch's t, Satterthwaite's
/// degrees of freedom. Pure.
#pragma once

#include <optional>
#include <span>

namespace perfgate::analysis {

/// Fewer traced processes a side say nothing about their spread.
inline constexpr std::size_t kFewestForInterval = 3;

struct MeanDifference {
  double base = 0.0;  ///< means; 0 of an empty side
  double head = 0.0;
  double standard_error = 0.0;  ///< of head - base
  double degrees = 0.0;         ///< 0 = no interval: too few values on a side
};
[[nodiscard]] MeanDifference mean_difference(std::span<const double> base,
                                             std::span<const double> head);

/// t((1 + coverage) / 2) x standard error; empty without degrees of freedom. Values that do not
/// vary at all have a half width of 0.
[[nodiscard]] std::optional<double> half_width(const MeanDifference& difference, double coverage);

}  // namespace perfgate::analysis
