/// Rule `counted_exact`: a count against the newest baseline run. Pure, without statistics.
///
/// Every traced process of a run must have counted the same, else inconclusive. A change for the
/// worse above `slack` (default 0) fails; a change for the better passes and is flagged as
/// improved, since fewer launches can be a gain or skipped work. With `exact` the gate accepts no
/// change in either direction: a change for the better is inconclusive until it is recorded as the
/// new baseline.
#pragma once

#include "gates/decision.h"

namespace perfgate::gates {

[[nodiscard]] MetricDecision judge_counted(const MetricCase& metric);

/// The same against the traced processes of the base in this session. A count that differs is exact
/// on both sides, so a FAIL is `confirmed` without fresh processes.
[[nodiscard]] MetricDecision judge_paired_counts(const PairCase& pair);

}  // namespace perfgate::gates
