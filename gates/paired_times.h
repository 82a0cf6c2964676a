/// A timed or traced metric against a base that ran in the same session, in pairs. Pure.
///
/// Sample i of the base and sample i of the head are a pair, so that what drifts over the session
/// cancels. With d_i = log(head_i / base_i), turned so that larger is worse, over K pairs:
///
///   interval = mean d +- t(1 - level/2, K - 1) x s / sqrt(K),      bounds as in bounds.h
///
/// A metric that is zero somewhere is compared as a difference, and needs `at_least`. The row's
/// base and head are the geometric means over the pairs (means, as a difference), so that head /
/// base is the change that was judged; a run's own value is a median and may differ a little.
///
/// s is never below the run-to-run SD of the store where it has one, else 0.05 %, what the least
/// auto margin assumes; but at most a third of the margin, as pairs cancel what moves whole runs.
/// K equal numbers out of a coarse clock are then no proof of a change as small as the margin.
///
/// margin auto = 3 x run-to-run SD of the gate's statistic on one GPU, as both arms ran on one,
/// clamped as in bounds.h: out of the store (gpu_spread.h) where it has one; else p x sqrt(f(n) /
/// n), p the SD of one process pooled over both arms, n the processes at the first look, f(n) / n
/// the variance of a median of n. It never makes a configuration error: too few pairs know s too
/// badly to call a file wrong.
///
/// finds_from_ratio: the screen at the last look and the test on fresh pairs both find it.
#pragma once

#include "gates/bounds.h"
#include "gates/decision.h"

namespace perfgate::gates {

/// The SD below which a pair's is never taken, on the scale. `stored`: run to run, of the store; 0
/// = not known.
[[nodiscard]] double least_pair_sd(const Frame& frame, double stored);

/// The screen: beyond the margin is suspected (`Unsettled::unconfirmed`), never failed.
/// Different numbers of samples, or values that are no measurement: invalid.
[[nodiscard]] MetricDecision judge_paired_times(const PairCase& pair);

/// What Holm's test over the suspects of the report said of one of them.
struct Evidence {
  bool reached = false;
  int suspects = 1;
};

/// A suspect on fresh pairs alone, which no look has seen. Margin and tolerance are those of
/// `screened`: what is tested must not follow from the data that test it. With the evidence fail,
/// `confirmed`; else by the two bounds at 5 %, where beyond the margin is suspected
/// (`weak_evidence`). `p_value` is the one-sided t of (mean d - margin), K - 1 degrees; it does not
/// depend on `evidence`.
[[nodiscard]] MetricDecision retest_paired_times(const PairCase& fresh, const Comparison& screened,
                                                 const Evidence& evidence);

}  // namespace perfgate::gates
