/// Traced over untraced step time of a run: the median over its traced processes. Pure.
///
/// Not the largest: on a GPU at its power cap one process in three met the cap in its window and
/// was 8 % slower there than the untraced ones at the same steps, which says nothing about tracing.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "runner/model/analysis.h"
#include "runner/model/median.h"

namespace perfgate {

/// Empty: no process has a ratio.
[[nodiscard]] inline std::optional<double> traced_ratio(const Analysis& analysis) {
  std::vector<double> ratios;
  ratios.reserve(analysis.traced.size());
  for (const TracedProcess& traced : analysis.traced) {
    const double ratio = traced.traced_over_untraced;
    if (std::isfinite(ratio) && ratio > 0.0) ratios.push_back(ratio);
  }
  if (ratios.empty()) return std::nullopt;
  return median(ratios);
}

}  // namespace perfgate
