/// Rule `two_bound`: a timed or traced metric against the level of the store. Pure.
///
/// With d = log(head / level) in the direction that is worse, its interval [lo, hi]
/// (store_level.h), m = log(1 + margin) and T = log(1 + tolerance):
///
///       lo > m   worse by more than the margin: a suspect (judge.h turns it into fail or
///       suspected) hi < T   pass: a slowdown of `excludes_above_ratio` or more is excluded else
///       inconclusive; `processes_to_settle` more processes would decide it
///
/// Both can hold for a narrow interval between m and T: the suspect wins. One bound alone (pass if
/// hi < m) would leave nearly every unchanged program undecided, since its interval has to fit
/// below m.
///
/// Where runs of the store lie apart from the others (store_level.h), these figures are against the
/// settled ones. A suspect cannot fail unless it is beyond the margin against all runs too, and
/// what would pass is left open where it does not pass against the newest runs, when those lie
/// apart: the store cannot tell yet where the level is.
///
/// margin auto = 3 x run-to-run SD, at least 0.15 % and at most 5 %, tolerance auto = 3 x margin.
/// Where runs of several GPUs serve, their difference is in that SD, as it is in the interval. With
/// a base at hand the margin is that of one GPU (gpu_spread.h): then the interval, which still has
/// the difference in it, seldom fits below the tolerance, and pairs on this GPU decide.
/// Where runs of this GPU serve alone, the row says so, and how many others are left out.
///
/// A pinned level is compared too (pinned_level.h): a breach is a note, and where the branch
/// records its own run, the row is of the pinned level and fails.
///
/// `at_least` raises both bounds to the absolute change that counts. A metric that is zero
/// somewhere is compared as a difference; it needs `at_least`, as a ratio to zero means nothing. An
/// improvement (hi < -m) passes and is flagged.
///
/// Bounds, their words and the p value: bounds.h. `finds_from_ratio`: power.h, for the interval and
/// for what Holm's test asks of a single suspect; 0 where the store may only suspect. Where runs of
/// the store stray it is raised to what is asked then (lone_run.h).
#pragma once

#include "gates/bounds.h"
#include "gates/decision.h"

namespace perfgate::gates {

/// Not finite, negative or missing values: outcome invalid with the value named.
[[nodiscard]] MetricDecision judge_two_bound(const MetricCase& metric);

}  // namespace perfgate::gates
