/// Which values of a short series lie apart from the others. Pure.
///
/// Generalized ESD (Rosner, Technometrics 25, 1983): the value farthest from the mean of those that
/// are left is taken out, once and again, up to `kMostOutlying`. The i-th is tested against the m
/// values that stay by the t of one more value,
///
///   |x - mean| / (s sqrt(1 + 1/m))  >  t(1 - 0.01 / (2 (m + 1)), m - 1),
///
/// two-sided at 1 % over the m + 1 that it could have been (Bonferroni). All up to the last one
/// that is significant lie apart, so two that lie together do not hide each other. Few values ask
/// for much by themselves: t is 32 with m = 3 and 4.5 with m = 9.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gates/change_point.h"

namespace perfgate::gates {

/// One more would be a level of their own.
inline constexpr std::size_t kMostOutlying = kLeastSegment - 1;

struct OutlyingOptions {
  /// A nearer value does not lie apart, however quiet the others are; in the series' own units.
  double least_distance = 0.0;
  /// Nor does one within this many SDs of the others; 0 = any.
  double least_sds = 0.0;
  double least_sd = 0.0;  ///< the others are never taken for quieter
};

/// Places in the series, in its order. Values must be finite. The others are always more, and three
/// or more.
[[nodiscard]] std::vector<std::size_t> outlying(std::span<const double> series,
                                                const OutlyingOptions& options = {});

}  // namespace perfgate::gates
