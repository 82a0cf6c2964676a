/// What the runs of a store show of gated metrics over weeks: the level now, steps on the way, and
/// creep against what was accepted last. For the nightly report; judges no run. Pure.
///
/// Runs     of one GPU: the pinned one's while runs of it still come, else the newest run's. With
///          fewer than `kRunsToFail` of it, all runs where they are of `kInstancesToJudge` GPUs or
///          more (one GPU's turn is then noise, and is in the SD); else nothing is said.
/// SD       from run to run: the largest of that by differences (statistics.h; steps are taken out,
///          creep does not widen it), that of the reference runs, and the calibrated one.
/// Accepted the later of the pin and of the newest level mark.
/// Reference what is watched against: the mean of the runs of the accepted level up to the pinned
///          one (30 at most; without those that lie apart, outlying.h), so that a lucky run that
///          was pinned is no creep of all others. Fewer than `kRunsToFail` of them: the first so
///          many of that level. The pinned run is older than all that are looked at: its value.
/// Creep    CUSUM (drift.h) of the runs since, from the reference on and beyond its own
///          uncertainty, t(1 - 0.05 / M) x SD x sqrt((1 + rho) / ((1 - rho) m)) for m runs and M
///          metrics watched in the report.
/// Breach   the level (store_level.h, as the gate forms it) lies beyond the reference by more than
///          the margin, one-sided at 1 % over the M metrics.
/// Steps    level_changes (store_level.h). One is accepted where a level mark stands within three
///          runs of it, or the pin was set at a run behind it. Without a pin or mark there is no
///          creep to be told, but a step to the worse beyond the margin that still stands is.
///
/// The margin is the gate's; `auto` is three of the SD above. Counts have no SD: the newest value
/// is held against the accepted one, with the gate's slack.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runner/model/comparison.h"
#include "runner/model/metric.h"
#include "runner/model/trend.h"
#include "runner/model/workload_spec.h"

namespace perfgate::gates {

struct TrendPin {
  TrendRun at{};  ///< run 0: gone from the store
  std::string set_utc{};
  std::string reason{};
};

struct TrendMark {
  std::int64_t first_run = 0;
  std::string reason{};
};

/// One gate of one workload in one environment.
struct TrendInput {
  GateSpec gate{};
  MetricKind kind = MetricKind::timed;
  Better better = Better::lower;
  BaselineSeries history{};        ///< also before level marks, oldest first; finite values
  std::vector<TrendMark> marks{};  ///< of this metric or of all, oldest first
  std::optional<TrendPin> pin{};   ///< of `history.pinned`
};

struct Watched {
  std::vector<TrendMetric> metrics{};  ///< one an input, in its order
  int watched = 0;                     ///< M: those that CUSUM watches
};

/// All metrics of a report: their number sets the threshold.
[[nodiscard]] Watched watch(std::span<const TrendInput> inputs);

}  // namespace perfgate::gates
