/// Which series of the store a metric of this run is compared with. Pure.
#pragma once

#include <string>

#include "gates/judge.h"

namespace perfgate::gates {

/// The one of the same name, kind, unit and direction (which of lower and higher is better; a
/// series that does not know its own takes any); nullptr where the store has none. Two units never
/// meet: a time that was in s and is in ms now did not become a thousand times longer. Nor do two
/// directions: a program that turns its metric round would make a regression an improvement.
[[nodiscard]] const BaselineSeries* find_series(const GateInput& input, const MetricValue& metric);
/// A gate that sets `better` itself takes a series of the other direction too, where there is none
/// of this one.
[[nodiscard]] const BaselineSeries* find_series(const GateInput& input, const GateSpec& gate,
                                                const MetricValue& metric);

/// "this run says that higher is better, the store's runs said lower", where the store has this
/// metric in the other direction only; empty = it has it in this one, or not at all.
[[nodiscard]] std::string other_direction(const GateInput& input, const MetricValue& metric);

/// "this run has it in ms, the store in s", where the store has this metric in other units only;
/// empty = it has it in this one, or not at all.
[[nodiscard]] std::string other_unit(const GateInput& input, const MetricValue& metric);

/// The level of a control in the store, by name and unit; nullptr where there is none.
[[nodiscard]] const BaselineSeries* find_control(const GateInput& input,
                                                 const ControlReading& control);

}  // namespace perfgate::gates
