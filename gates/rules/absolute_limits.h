/// Rule `absolute_limits`: `max` and `min` of a gate, in the metric's unit. Pure, needs no
/// baseline.
///
/// The run's own value decides: above `max` or below `min` fails. The limit itself passes.
#pragma once

#include "gates/decision.h"

namespace perfgate::gates {

[[nodiscard]] MetricDecision judge_absolute_limits(const MetricCase& metric);

}  // namespace perfgate::gates
