/// Creep: a head against the level that was accepted (pinned), whatever the store's runs did since.
/// Pure.
///
/// The level of the store follows small changes, and its spread grows with them: after eight quiet
/// runs and twelve of +0.4 % each, at margins of 1 % and 3 %, s was 1.4 % and nothing could be told
/// any more. So the spread here is that of neighbouring runs, without their common drift
/// (J. von Neumann's mean square successive difference, 1941, less the mean difference):
///
///   s_d^2 = sum((d_i - mean d)^2) / (2 (R - 2)),   d_i = x_(i+1) - x_i,   about 2 (R - 2) / 3
///   degrees
///
/// never below the calibrated SD and never above s. The pinned level is one run's value:
///
///   variance = s_d^2 + the head's own part (store_level.h)
///
/// A creep that hid in autocorrelated noise is not told from it; `trend` weighs that (drift.h).
#pragma once

#include <optional>

#include "gates/decision.h"
#include "gates/store_level.h"

namespace perfgate::gates {

/// The level with the spread of neighbouring runs; unchanged below four runs that serve.
[[nodiscard]] StoreLevel without_drift(const StoreLevel& level, const BaselineSeries& series);

struct AgainstPinned {
  Frame frame{};     ///< its base is the pinned level
  Interval worse{};  ///< of head - pinned
  Comparison row{};  ///< the bounds that were used
  [[nodiscard]] bool breached() const { return worse.low() > frame.margin; }
};

/// Empty: nothing is pinned, or on another GPU than the one that serves alone (neither the interval
/// nor the margin has the difference between GPUs in it). `row`, `frame`: of the metric's
/// comparison with the store. Precondition: level.degrees > 0.
[[nodiscard]] std::optional<AgainstPinned> against_pinned(const MetricCase& metric,
                                                          const StoreLevel& level,
                                                          const Frame& frame, int n_head,
                                                          double head_process_sd);

}  // namespace perfgate::gates
