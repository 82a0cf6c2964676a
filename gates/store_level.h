/// The level of a metric in the store, and how far a new run may lie from it by chance. Pure.
///
/// One run is one value (the gate's statistic: the median over its processes). The interval of
/// "this run minus the level" has three parts:
///
///   variance = s^2 / R_e  +  s_head^2,       half-width = t(1 - level/2, R - 1) x sqrt(variance)
///
/// s is the run-to-run SD of the R runs, never below the calibrated one (gpu_spread.h: where the
/// head's own GPU serves alone, that of one GPU). R_e = R (1 - rho) / (1 +
/// rho) widens the level for autocorrelation rho (statistics.h). With as many processes in the head
/// as in the runs, and rho = 0, this is t x s x sqrt(1 + 1/R), the prediction interval for one more
/// run. s_head^2 = s^2 + k p^2 (1/n_head - 1/n_runs): p is the SD of one process within a run, k /
/// n the variance of a median of n. Fewer processes widen, more narrow, but never below k p_head^2
/// / n_head, what the head's own processes show, so a head that became noisy is not judged by a
/// quiet past.
///
/// Instances (one of equal machines) are a random effect. Runs of the head's own instance alone
/// serve where there are `kRunsToFail`; else with `kInstancesToJudge` instances the level is the
/// mean of the instance means with I - 1 degrees, and the variance between instances joins; else
/// the runs serve as they are and the result may suspect, never fail.
///
/// A step that was merged must neither widen the margin nor hide in the mean: where the newest runs
/// form a level of their own (change_point.h, p 0.001, four runs or more), they alone serve. The
/// step must be as large as the larger of
///
///   half the margin     left in, a smaller one moves the level by less than that, and no verdict
///                       turns on it;
///   3 x s               s within the two segments and never below the calibrated one: a step
///                       below is what an automatic margin (3 x s) takes for noise.
///
/// Fewer newest runs than that, and single runs anywhere, may lie apart from the others
/// (outlying.h), by the margin and by 3 x s or more, s not below what the processes within the runs
/// explain (k p^2 / n_runs): a regression that was recorded, a bad hour.
/// Left in, one of them widens s until changes as large as itself pass. The `settled` level leaves
/// them out; the level of `all` runs keeps them, and whoever judges asks both: what passes must
/// pass against the settled runs (and against the newest runs that lie apart), what fails must
/// fail against all.
///
/// Runs of several instances are left whole: another GPU's turn would look like a step.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gates/change_point.h"
#include "gates/statistics.h"
#include "runner/model/comparison.h"

namespace perfgate::gates {

/// A FAIL out of the store alone needs this many comparable runs.
inline constexpr int kRunsToFail = 8;
inline constexpr int kInstancesToJudge = 4;
/// A calibration is A/A on three occasions or more: two degrees of freedom at least.
inline constexpr double kCalibrationDegrees = 2.0;

/// Times compare as ratios (log); metrics that can be zero compare as differences (linear).
enum class Scale { log, linear };
[[nodiscard]] double on_scale(double value, Scale scale);
[[nodiscard]] double from_scale(double value, Scale scale);

/// A run of the store against the others of its series, on the scale.
struct RunDistance {
  std::int64_t run = 0;  ///< its row
  double off = 0.0;      ///< from the others' mean
  double standard_error = 0.0;
};

struct StoreLevel {
  Scale scale = Scale::log;
  double level = 0.0;                ///< on the scale
  double run_sd = 0.0;               ///< s, after the calibrated floor; on the scale
  double seen_sd = 0.0;              ///< before it
  double correlation = 0.0;          ///< rho
  double level_variance = 0.0;       ///< s^2 / R_e
  double process_sd = 0.0;           ///< p, pooled within the runs; 0 = one process a run
  double processes_per_run = 1.0;    ///< harmonic mean
  double extra_head_variance = 0.0;  ///< of one run beyond an instance's mean; 0 without instances
  double degrees = 0.0;              ///< 0: no spread is known, no interval can be formed
  int runs = 0;
  int instances = 0;
  int own_runs = 0;        ///< of the head's GPU
  bool own_alone = false;  ///< they serve alone
  int other_runs = 0;      ///< of other GPUs, left out where they do
  /// `no`, or why the store may only suspect: `few_runs`, `other_gpu`, `unknown_gpu`.
  Unsettled restraint = Unsettled::no;
  /// Where the newest runs are a level of their own: the first one's row in the store, and the step
  /// there on the scale. 0 and 0: all runs serve.
  std::int64_t since_run = 0;
  double since_step = 0.0;
  /// Rows of the runs that lie apart and are left out, oldest first; how many of them are the
  /// newest of all, and the mean of those, on the scale.
  std::vector<std::int64_t> apart{};
  int newest_apart = 0;
  double newest_level = 0.0;
  std::vector<RunDistance> distances{};  ///< of the runs that serve, see lone_run.h
};

enum class Serving : std::uint8_t {
  settled,  ///< without the runs that lie apart
  all,      ///< with them
};

/// Precondition: every value and sample of `series` is finite and, on the log scale, above zero.
/// `head_instance` empty = unknown, which never equals a known one. Empty for a series without
/// points. `margin_ratio`: the gate's, or the least automatic one.
[[nodiscard]] std::optional<StoreLevel> store_level(const BaselineSeries& series,
                                                    const std::string& head_instance, Scale scale,
                                                    double margin_ratio = 0.0,
                                                    Serving serving = Serving::settled);

/// Where runs of one GPU, on the scale and oldest first, took a step as above: half the margin and
/// three SDs, neither below `least_sd`.
[[nodiscard]] std::vector<ChangePoint> level_changes(std::span<const double> values, Scale scale,
                                                     double margin_ratio, double least_sd);

/// Those that serve and those that lie apart: what `few_runs` counts, as a FAIL must stand against
/// all of them.
[[nodiscard]] int recorded_runs(const StoreLevel& level);

/// The settled level's spread around the newest runs, which lie apart: what a head would be judged
/// by if they were the level. Precondition: level.newest_apart > 0.
[[nodiscard]] StoreLevel level_of_newest(const StoreLevel& level);

/// The head's part of the variance for `n_head` processes. `head_process_sd`: SD of one process
/// within the head, on the scale.
[[nodiscard]] double head_variance(const StoreLevel& level, int n_head, double head_process_sd);

/// Interval of (head - level) on the scale. Precondition: level.degrees > 0.
[[nodiscard]] Interval head_interval(const StoreLevel& level, double head, int n_head,
                                     double head_process_sd, double alpha);

/// What is asked of an interval: at most `half_width` at the two-sided level `alpha`.
struct WantedWidth {
  double half_width = 0.0;
  double alpha = 0.05;
};

/// Smallest number of processes in the head that reach it; 0 = more than `most` would be needed:
/// the level itself, not the head, sets the width.
[[nodiscard]] int processes_for_width(const StoreLevel& level, const WantedWidth& wanted, int n_now,
                                      double head_process_sd, int most);

/// Smallest number of runs in the store that reach it with `n_head` processes, if they scatter like
/// those that are there; 0 = more than `most` would be needed, or instances are the replicate.
[[nodiscard]] int runs_for_width(const StoreLevel& level, const WantedWidth& wanted, int n_head,
                                 double head_process_sd, int most);

}  // namespace perfgate::gates
