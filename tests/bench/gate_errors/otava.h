/// Apache Otava's change points as it ships them (otava/analysis.py, otava/series.py), with what
/// its source does otherwise than its text: the SD of a segment divides by n where the t test
/// assumes n - 1, and after a weak point was dropped its left neighbour keeps the p value it had.
/// Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace perfgate::bench {

struct OtavaPoint {
  std::size_t index = 0;  ///< first value of the new level
  double p_value = 1.0;
  double before = 0.0;  ///< mean of the segment before it
  double after = 0.0;
};

/// Windows of 50 values, half overlapping; E-divisive candidates (split and right end) tested by a
/// pooled t at ten times `max_p`; then the weakest are merged away until each is below `max_p`.
/// In rising order.
[[nodiscard]] std::vector<OtavaPoint> otava_change_points(std::span<const double> series,
                                                          double max_p = 0.001);

}  // namespace perfgate::bench
