/// From the decided gates to the joint verdict with its reasons as data. Pure.
///
/// Reason codes: measurement_invalid, capture_invalid, capture_partial, breach, invalid_metric,
/// environment_differs, not_comparable, no_baseline, suspected, inconclusive, gate_can_never_pass,
/// within_tolerance, improved, pinned_breach, subject_differs, instance_differs. accepts.h adds:
/// accepted.
#pragma once

#include <span>

#include "gates/judge.h"

namespace perfgate::gates {

[[nodiscard]] Verdict form_verdict(const GateInput& input,
                                   std::span<const MetricDecision> decisions);

}  // namespace perfgate::gates
