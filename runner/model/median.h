/// The median as reports, gates and the store form it. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace perfgate {

/// Mean of the two middle values for an even count. Precondition: not empty, finite.
[[nodiscard]] inline double median(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[middle];
  return std::midpoint(sorted[middle - 1], sorted[middle]);
}

}  // namespace perfgate
