/// The two bounds of a gate on one scale, and the words of what lies beyond or below them. Pure.
///
/// Shared by the rules that compare times, whatever they compare them with: the level of the store
/// (rules/two_bound.h) or the base of the same session (paired_times.h). On the scale larger is
/// worse: a metric of which more is better is turned around.
///
///   lo > margin      worse by more than the margin: a suspect
///   hi < tolerance   pass: a slowdown of `excludes_above_ratio` or more is excluded
///   else             inconclusive
#pragma once

#include <span>
#include <string>

#include "gates/power.h"
#include "gates/statistics.h"
#include "gates/store_level.h"
#include "runner/model/comparison.h"
#include "runner/model/workload_spec.h"

namespace perfgate::gates {

inline constexpr double kLeastAutoMargin = 0.0015;
inline constexpr double kAutoMarginSds = 3.0;
/// One bad point in the store would else widen the margin until nothing fails: ten runs of which
/// one is 20 % slow gave a margin of 17 % and passed a head at +18 %. Above the cap the answer is
/// inconclusive.
inline constexpr double kMostAutoMargin = 0.05;
inline constexpr double kAutoToleranceMargins = 3.0;

struct Frame {
  std::string metric{};
  std::string unit{};
  Scale scale = Scale::log;
  double direction = 1.0;  ///< -1: higher is better
  double base = 0.0;       ///< in the metric's unit, as the sentences name them
  double head = 0.0;
  double margin = 0.0;  ///< on the scale, after at_least
  double tolerance = 0.0;
};

/// Of an outlined row: names, direction, and its head.
[[nodiscard]] Frame frame_of(const Comparison& row, Scale scale);

/// margin auto = 3 x `run_sd` (on the scale; run to run, of the gate's own statistic), at least
/// 0.15 % and at most 5 %; tolerance auto = 3 x margin. Writes the ratios into the row and both
/// bounds into the frame. Precondition: frame.base is set.
void set_bounds(const GateSpec& gate, double run_sd, Frame& frame, Comparison& row);
/// The bounds of a row whose ratios are fixed already. `at_least` raises both to the absolute
/// change that counts, and the row keeps it.
void place_bounds(const GateSpec& gate, Comparison& row, Frame& frame);

/// The interval as ratios of the base, in the direction of the values.
void fill_interval(const Frame& frame, const Interval& worse, Comparison& row);

/// A worsening on the scale as a ratio of the base: what a person calls "a slowdown of". 0 where
/// the base is zero.
[[nodiscard]] double as_ratio(const Frame& frame, double worse);
/// The same as percent, or in the metric's unit where the base is zero.
[[nodiscard]] std::string as_text(const Frame& frame, double worse);

/// One-sided p value of "worse by no more than `margin`". Without any spread 0 or 1.
[[nodiscard]] double p_beyond(const Interval& worse, double margin);

/// The smallest slowdown that all stages find in 95 of 100 (power.h), as a ratio; 0 = none is.
[[nodiscard]] double found_ratio(const Frame& frame, std::span<const TestStage> stages);

/// "step_time_p50 4.2913 ms against 4.27 ms: +0.50 % [+0.35 %, +0.65 %]".
[[nodiscard]] std::string movement(const Frame& frame, const Interval& worse);

/// Each sets outcome, figures and sentence of its case.
void set_pass(const Frame& frame, const Interval& worse, Comparison& row);
void set_suspect(const Frame& frame, const Interval& worse, Comparison& row);
/// The caller adds what would settle it. Returns the half-width that would.
double set_inconclusive(const Frame& frame, const Interval& worse, Comparison& row);

/// The case for hi < tolerance; an interval without a worsening passes whatever the bounds.
[[nodiscard]] inline bool passes(const Frame& frame, const Interval& worse) {
  return worse.high() < frame.tolerance || worse.high() <= 0.0;
}

}  // namespace perfgate::gates
