/// What a gate can see: the smallest slowdown that it finds nearly always. Pure.
///
/// A test with standard error e, `degrees` f and critical value c rejects where (d - m) / e > c.
/// For a true d - m = x its statistic is a noncentral t with noncentrality x / e, and
///
///   P(reject) = Phi((x / e - c (1 - 1 / 4f)) / sqrt(1 + c^2 / 2f))
///
/// (Johnson and Welch 1940, Abramowitz and Stegun 26.7.10). e is the estimated one, taken as true;
/// at 0.95 the formula is within 0.006 of the exact probability from 2 degrees on.
#pragma once

#include <span>

namespace perfgate::gates {

inline constexpr double kFoundProbability = 0.95;

struct TestStage {
  double standard_error = 0.0;
  double degrees = 1.0;   ///< > 0
  double critical = 0.0;  ///< quantile of t
};

/// The smallest x > 0 beyond the margin that independent tests all reject with
/// `kFoundProbability`. 0 for stages without any spread: whatever exceeds the margin is seen.
[[nodiscard]] double found_beyond_margin(std::span<const TestStage> stages);

}  // namespace perfgate::gates
