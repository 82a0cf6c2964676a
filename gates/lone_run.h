/// What one run alone can show against a store whose own runs stray. Pure.
///
/// The t of a head against the store (rules/two_bound.h) takes whole runs for normal. Where one run
/// in thirty is slow as a whole, by a neighbour or a cold machine, that run is far outside, and all
/// its processes say the same: nothing in it tells it from a change. Ranks do not help: the head is
/// the farthest of R + 1 like runs by chance in 1 of R + 1. What does tell are the store's own
/// runs, over all gated metrics, as they are runs of one machine: how far do they lie off, each
/// against the others?
///
///   a run of a metric    x_j = |v_j - mean of the others| / (s_j sqrt(1 + 1/(R - 1))), s_j the SD
///                        of the others, never below what the processes within the runs explain nor
///                        the calibrated one. 0 where v_j is within the gate's margin of the mean.
///   a run of the store   its largest x over all metrics
///   d                    the second largest of those. One run that lies apart may be a change that
///                        was recorded and taken back; two show that runs stray.
///   e                    what d would be in half of the stores if the N distances were t of R - 2
///                        degrees: t(1 - 1.68 / 2N). 1.68 solves (1 + l) exp(-l) = 1/2: with l runs
///                        expected beyond it, one at most is in half of the stores.
///   asked                of the head, (value - level) / its standard error: d times 2.25 d / e,
///                        clamped to between 2.25 d and 3.5 d. Where runs go farther than normal
///                        noise would, the tail is long, and the next run goes the farther.
///
/// A metric that would fail by less is `suspected` (`Unsettled::lone_run`). Fresh pairs against a
/// base settle it, as they see the base in the same hour. The leave-one-out distances are those of
/// externally studentized residuals (Cook and Weisberg, Residuals and Influence in Regression,
/// 1982); 2.25 and d / e are measured, by no theory.
///
/// Measured: 72 metrics, ten runs, share of unchanged reports with a FAIL, without this condition
/// (600 reports) and with it (1,000 to 2,000); two other ones beside it:
///
///   noise, CV %, run SD / CV, margins  without  here   2.5 d   2 x the farthest run
///   spikes,     2, 1, 1 % / 3 %          59.8    0.0    0.2         0.2
///   log-normal, 2, 1, 1 % / 3 %          30.0    0.2    1.7         1.5
///   log-normal, 1, 1, auto               13.3    0.2    1.7         1.3
///   bimodal,    2, 0, 1 % / 3 %          10.0    0.8    1.2         1.5
///   bimodal,    1, 0, auto               12.3    0.9    1.2         1.5
///   one of 72 is slower, and FAILs (200 to 300 reports), margins 1 % / 3 %:
///   normal,     0.5, 1,   +5 %           53.5   37.0   32.0        38.0
///   normal,     1,   0.3, +5 %           63.0   62.5   62.0        62.0
///   log-normal, 1,   0.3, +5 %           74.0   54.5   51.5        49.0
///   spikes,     1,   0.3, +10 %          94.0   75.5   67.0        71.0
///
/// The false FAILs come from whole runs (spikes and skew with a run SD of 1 CV): with a run SD of 0
/// spikes in single processes fail nothing, since the value is a median. Bimodal noise errs by
/// processes too, where those of ten runs in a row were of one mode. Medians or ranks of the head's
/// processes do not see it: a run that is slow as a whole is slow in each.
///
/// The condition sees what the store has seen. With fewer than 50 distances (five metrics of ten
/// runs), or where no two runs strayed, reports fail as before.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gates/decision.h"

namespace perfgate::gates {

/// Values of a series' runs on the scale; `runs`: their rows in the store, of the same length.
/// `least_sd`: see above. Empty below three runs: the others show no spread.
[[nodiscard]] std::vector<RunDistance> run_distances(std::span<const double> values,
                                                     std::span<const std::int64_t> runs,
                                                     double least_sd);

/// The run that lies second farthest of all, over all metrics, and the farthest.
struct Stray {
  std::int64_t run = 0;
  double distance = 0.0;  ///< in standard errors
  std::string metric{};
};
struct StoreTail {
  std::optional<Stray> farthest{};  ///< empty: no run lies off at all
  std::optional<Stray> second{};
  int distances = 0;  ///< N
};

[[nodiscard]] StoreTail store_tail(std::span<const MetricDecision> decisions);

/// How far off a head has to lie in standard errors; `runs`: of its own series. 0 = any distance
/// will do.
[[nodiscard]] double asked_distance(const StoreTail& tail, int runs);

/// The condition on one metric that would fail by its p value.
[[nodiscard]] bool stands_out(const MetricDecision& decision, const StoreTail& tail);

/// Raises what the row says it finds, where more is asked of a head than its own test asks.
void promise_less(MetricDecision& decision, const StoreTail& tail);

/// Makes it the suspect that it then is: what is unsettled, the reason's code and its words.
void suspect_lone_run(MetricDecision& decision, const StoreTail& tail);

}  // namespace perfgate::gates
