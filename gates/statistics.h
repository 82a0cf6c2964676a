/// The statistics of the gate: plain functions on plain numbers. Pure, safe from any thread.
///
/// Units: none here. Callers pass logarithms of times (a difference is then the log of a ratio) or,
/// where a value can be zero, the values themselves. Inputs must be finite; callers check before.
#pragma once

#include <span>
#include <vector>

#include "runner/model/median.h"
#include "runner/statistics/student_t.h"

namespace perfgate::gates {

/// Precondition: not empty.
[[nodiscard]] double mean(std::span<const double> values);
/// Sample standard deviation (n - 1); 0 below two values.
[[nodiscard]] double sample_sd(std::span<const double> values);

using statistics::student_t_quantile;
using statistics::student_t_upper_tail;

/// Nominal two-sided level of each look so that all looks together err in 5 % (Pocock 1977):
/// 1: 0.05, 2: 0.0294, 3: 0.0221, 4: 0.0182, 5: 0.0158. More looks: 0.05 / looks (Bonferroni,
/// safe).
[[nodiscard]] double pocock_level(int looks);

/// n x variance of the median of n normal values, in units of their variance: 1 for 1 and 2 values,
/// towards pi / 2. Exact up to 12 (numerical integration of the order statistics), pi / 2 beyond.
[[nodiscard]] double median_variance_factor(int n);

/// Lag-1 autocorrelation of a series that may contain level steps:
/// clamp(1 + 2 r1, 0, 0.9), r1 the lag-1 autocorrelation of the first differences after clipping
/// them at 3 x 1.4826 x MAD. For white noise r1 is -1/2, so the result is 0; a step changes one
/// difference only, which is clipped. 0 below `kShortestForCorrelation` values: too few to tell.
inline constexpr int kShortestForCorrelation = 8;
[[nodiscard]] double lag_correlation(std::span<const double> series);

/// SD of a series that may drift or contain level steps: that of its first differences, clipped as
/// above, over sqrt(2 (1 - correlation)), which is what differences of values of that lag-1
/// correlation have. 0 below three values.
[[nodiscard]] double difference_sd(std::span<const double> series, double correlation);

/// Holm's step-down test (1979): which hypotheses are rejected at family-wise level `level`, in the
/// order of the input. Valid under any dependence of the p values.
[[nodiscard]] std::vector<bool> holm_rejects(std::span<const double> p_values, double level);

/// An estimate with its two-sided interval: estimate +- half_width, half_width = t x
/// standard_error.
struct Interval {
  double estimate = 0.0;
  double standard_error = 0.0;
  double degrees = 0.0;
  double half_width = 0.0;
  [[nodiscard]] double low() const { return estimate - half_width; }
  [[nodiscard]] double high() const { return estimate + half_width; }
};

/// estimate +- t(1 - level/2, degrees) x standard_error.
[[nodiscard]] Interval t_interval(double estimate, double standard_error, double degrees,
                                  double level);

/// mean(head) - mean(base) with unequal variances (runner/statistics/welch.h).
/// Precondition: two values or more on each side. Without any spread the width is 0.
[[nodiscard]] Interval welch_interval(std::span<const double> base, std::span<const double> head,
                                      double level);

}  // namespace perfgate::gates
