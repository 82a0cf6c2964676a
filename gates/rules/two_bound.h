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
/// margin auto = 3 x run-to-run SD, at least 0.15 % and at most 5 %, tolerance auto = 3 x margin.
/// `at_least` raises both bounds to the absolute change that counts. A metric that is zero
/// somewhere is compared as a difference; it needs `at_least`, as a ratio to zero means nothing. An
/// improvement (hi < -m) passes and is flagged.
#pragma once

#include "gates/decision.h"

namespace perfgate::gates {

inline constexpr double kLeastAutoMargin = 0.0015;
inline constexpr double kAutoMarginSds = 3.0;
/// One bad point in the store would else widen the margin until nothing fails: ten runs of which
/// one is 20 % slow gave a margin of 17 % and passed a head at +18 %. Above the cap the answer is
/// inconclusive.
inline constexpr double kMostAutoMargin = 0.05;
inline constexpr double kAutoToleranceMargins = 3.0;

/// Not finite, negative or missing values: outcome invalid with the value named.
[[nodiscard]] MetricDecision judge_two_bound(const MetricCase& metric);

}  // namespace perfgate::gates
