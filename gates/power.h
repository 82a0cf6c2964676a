/// What a gate can see: the smallest slowdown that it finds nearly always. Pure.
///
/// A test with standard error e, `degrees` f and critical value c rejects where (d - m) / e > c.
/// For a true d - m = x its statistic is a noncentral t with noncentrality x / e, and
///
///   P(reject) = Phi((x / e - c (1 - 1 / 4f)) / sqrt(1 + c^2 / 2f))
///
/// (Johnson and Welch 1940, Abramowitz and Stegun 26.7.10). e is the estimated one, taken as true;
/// at 0.95 the formula is within 0.006 of the exact probability from 2 degrees on. Where e comes
/// out of other data than the test's, with g degrees, x / e = k is as uncertain: k^2 / 2g joins
/// c^2 / 2f under the root.
#pragma once

#include <span>

namespace perfgate::gates {

inline constexpr double kFoundProbability = 0.95;

struct TestStage {
  double standard_error = 0.0;
  double degrees = 1.0;        ///< > 0
  double critical = 0.0;       ///< quantile of t
  double known_degrees = 0.0;  ///< g; 0 = e is taken as true
};

/// The smallest x > 0 beyond the margin that independent tests all reject with
/// `kFoundProbability`. 0 for stages without any spread: whatever exceeds the margin is seen.
/// Infinite where e is known too badly to promise anything.
[[nodiscard]] double found_beyond_margin(std::span<const TestStage> stages);

/// The probability that all of them reject where the truth lies `beyond` the margin. 1 for stages
/// without any spread, where `beyond` is above 0.
[[nodiscard]] double found_probability(std::span<const TestStage> stages, double beyond);

/// The test of a mean of `count` values whose SD is `sd`, at `level` one-sided. Precondition: two
/// values or more.
[[nodiscard]] TestStage stage_of_mean(double sd, int count, double level);

}  // namespace perfgate::gates
