/// Which series of the store a metric of this run is compared with. Pure.
#pragma once

#include <string>

#include "gates/judge.h"

namespace perfgate::gates {

/// The one of the same name, kind and unit; nullptr where the store has none. Two units never meet:
/// a time that was in s and is in ms now did not become a thousand times longer.
[[nodiscard]] const BaselineSeries* find_series(const GateInput& input, const MetricValue& metric);

/// "this run has it in ms, the store in s", where the store has this metric in other units only;
/// empty = it has it in this one, or not at all.
[[nodiscard]] std::string other_unit(const GateInput& input, const MetricValue& metric);

/// The level of a control in the store, by name and unit; nullptr where there is none.
[[nodiscard]] const BaselineSeries* find_control(const GateInput& input,
                                                 const ControlReading& control);

}  // namespace perfgate::gates
