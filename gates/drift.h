/// Creep: small changes, each too small for a gate, that add up against the pinned level. Pure; for
/// reports over a history, never for one run.
///
/// One-sided CUSUM (Page 1954) of z = (x - pinned) / sd, turned so that larger is worse:
///
///   S = max(0, S + z - k),  k = 1/2;      creep where S > h
///
/// k = 1/2 is the best choice against a shift of one SD, which is seen after 10 points or so. z is
/// deflated by sqrt((1 - rho) / (1 + rho)) for the autocorrelation rho of the series
/// (lag_correlation): the sums of a correlated series wander by that much more.
///
/// What was accepted is known only as well as the runs that it was formed of; z therefore counts
/// from `uncertainty` above it. Else one lucky run that was pinned would raise the alarm by itself:
/// half an SD above k adds up to h within twenty points.
///
/// h follows from the number M of metrics watched, so that all together raise one false alarm in
/// `kPointsToFalseAlarm` points: each may raise one in M times as many. The mean number of points
/// to a false alarm is Siegmund's approximation (D. Siegmund, Sequential Analysis, Springer 1985;
/// Montgomery, Statistical Quality Control, 9.1), within a few percent at these lengths:
///
///   ARL(h) = (exp(2 k h') - 2 k h' - 1) / (2 k^2),   h' = h + 1.166
///
/// so h is 5.06 for one metric and 9.4 for 72.
///
/// Beside it, and apart: is the median of the last seven points beyond the margin? That tells a
/// creep that matters from one that is only certain.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace perfgate::gates {

inline constexpr double kCusumSlack = 0.5;
inline constexpr double kPointsToFalseAlarm = 1000.0;
inline constexpr std::size_t kRecentPoints = 7;

/// S after one more point.
[[nodiscard]] double cusum_next(double sum, double z);
/// Mean number of points until a series without any drift crosses `threshold`.
[[nodiscard]] double cusum_run_length(double threshold);
/// h for so many metrics; below one counts as one.
[[nodiscard]] double cusum_threshold(int metrics);

struct DriftWatch {
  double pinned = 0.0;                  ///< accepted level
  double sd = 0.0;                      ///< from run to run; above zero
  double margin = 0.0;                  ///< a shift of the level that matters
  int metrics = 1;                      ///< watched together
  double uncertainty = 0.0;             ///< half-width of `pinned`
  std::optional<double> correlation{};  ///< known from a longer series; empty = formed of this one
};

struct Drift {
  double threshold = 0.0;  ///< h
  double sum = 0.0;        ///< S at the last point
  /// First point of the excursion that is above h at the end of the series: since when it creeps.
  std::optional<std::size_t> since{};
  std::optional<double> recent_shift{};  ///< median of the last seven - pinned; empty: fewer points
  bool beyond_margin = false;            ///< recent_shift > margin
  [[nodiscard]] bool creeping() const { return since.has_value(); }
};

/// `series`: finite values, oldest first, on the scale of the gate (logarithms of times), turned so
/// that larger is worse, as are `pinned` and `margin`.
[[nodiscard]] Drift drift(std::span<const double> series, const DriftWatch& watch);

}  // namespace perfgate::gates
