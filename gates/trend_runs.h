/// Which runs of a history serve, what was accepted among them, and where its steps are; and
/// counts. Internal to trend.cpp. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gates/change_point.h"
#include "gates/store_level.h"
#include "gates/trend.h"

namespace perfgate::gates {

struct ServingRuns {
  BaselineSeries series{};           ///< the points that serve
  std::vector<std::size_t> place{};  ///< of each in the history
  std::string instance{};            ///< whose they are; of several the newest run's
  int gpus = 0;
  int other_gpu_runs = 0;
  bool several = false;  ///< runs of enough GPUs serve together
  bool mixed = false;    ///< too few of one GPU, and too few GPUs: nothing can be said
};
[[nodiscard]] ServingRuns serving_runs(const TrendInput& input);

[[nodiscard]] TrendRun run_of(const BaselinePoint& point);

/// What was accepted last.
struct Anchor {
  std::size_t at = 0;   ///< place among the serving runs of the first one that is not before it
  bool in_view = true;  ///< false: the pinned run is older than all that serve
  bool exact = true;    ///< false: the accepted run itself does not serve (gone, another GPU's)
  TrendAccepted accepted{};  ///< `value` is the pin's; of a mark 0, since its level is not formed
};
struct Accepted {
  std::optional<Anchor> anchor{};
  bool elsewhere = false;  ///< there is a pin, but of another GPU
};
[[nodiscard]] Accepted accepted_of(const TrendInput& input, const ServingRuns& runs);

/// The place among the serving runs of the run `first_run`, or of the next one that serves; empty
/// where the history does not have it.
[[nodiscard]] std::optional<std::size_t> place_of(std::int64_t first_run, const TrendInput& input,
                                                  const ServingRuns& runs);

/// The steps with the runs around them and what accepted them. `values` are on the scale.
[[nodiscard]] std::vector<TrendChange> changes_of(const std::vector<ChangePoint>& steps,
                                                  Scale scale, const TrendInput& input,
                                                  const ServingRuns& runs,
                                                  const std::optional<Anchor>& anchor);

/// Names, kind and unit.
[[nodiscard]] TrendMetric outline_trend(const TrendInput& input);
/// A count against the accepted one. GPUs of one model count alike: all runs serve.
[[nodiscard]] TrendMetric count_metric(const TrendInput& input);  // trend_counts.cpp

}  // namespace perfgate::gates
