/// Where the level of a series changed. Pure.
///
/// E-divisive (Matteson & James 2014, arXiv 1306.4933) as Hunter runs it over a history (Fleming et
/// al., ICPE 2023), with its known faults mended. For a window z split into x (n values) and y (m
/// values),
///
///   Q = 2/(m+n) sum |x_i - y_j| - 2m/((m+n)(n-1)) sum_{i<k} |x_i - x_k|
///                               - 2n/((m+n)(m-1)) sum_{j<k} |y_j - y_k|
///
/// is largest at the split to be tested; y may end before the window does. Windows of 50 values
/// advance by 25 or to the last point found; within one, segments are split in the order of Q while
/// the split's p value is below 10 p_max. Then, over all: while a point is not significant or too
/// small, the weakest one is dropped (largest p value, then the smallest step) and its neighbours
/// are tested anew over the merged segments.
///
/// The test is the t test, two-sided, of the two segments beside the point, both by Welch and with
/// the variance pooled: the larger p value counts. Welch's alone takes four values that are quiet
/// by chance for a level (in 3.6 % of the independent series below, in 6.5 % of the skewed ones),
/// the pooled one alone is misled by a short, noisy segment. t is deflated by sqrt((1 - rho) / (1 +
/// rho)) for the autocorrelation rho of the whole series (lag_correlation, which steps do not
/// bias). No segment is below `kLeastSegment` values: one spike is no level.
///
/// Measured by the tests on 100 values without a change, share of series with any point at p 0.001:
/// independent ones below 1 %, be they normal, skewed or with spikes; AR(1) of 0.5 about 4 %; two
/// sticky modes a fifth and more, since a stay in a mode is a level, and a least step keeps those
/// out.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace perfgate::gates {

/// Runs that a level needs on each side of a change.
inline constexpr std::size_t kLeastSegment = 4;

struct ChangePointOptions {
  double p_max = 0.001;
  /// A smaller step is none; in the series' own units (of logarithms: log of the ratio).
  double least_step = 0.0;
  /// Nor is one of fewer pooled SDs of the two segments beside it; 0 = any.
  double least_sds = 0.0;
};

struct ChangePoint {
  std::size_t at = 0;    ///< first value of the new level
  double before = 0.0;   ///< mean of the segment that ends there
  double after = 0.0;    ///< mean of the segment that begins there
  double p_value = 1.0;  ///< of the deflated t
};

/// In the order of the series; values must be finite. Empty below two segments' worth of values.
[[nodiscard]] std::vector<ChangePoint> change_points(std::span<const double> series,
                                                     const ChangePointOptions& options = {});

}  // namespace perfgate::gates
