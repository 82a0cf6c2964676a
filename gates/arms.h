/// What stands in the way of comparing two arms of a session, and what their ungated metrics did.
/// Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gates/pairs.h"

namespace perfgate::gates {

/// nullptr where the arm has no value of it.
[[nodiscard]] const MetricValue* find_in(const ArmView& arm, const std::string& id);

/// The row of a gate whose value one arm or both lack, whose capture is not valid, whose units
/// differ or whose tracing tax is too large; it says which arm. Empty = compare.
[[nodiscard]] std::optional<MetricDecision> arms_obstacle(const PairsInput& input,
                                                          const GateSpec& gate);

/// Makes a row not_comparable where a control moved by more than half its margin within an arm or
/// between the arms.
void withhold_if_arms_moved(const PairsInput& input, Comparison& row);

/// As observe.h, against the base arm: `base` and `noise` out of pairs (a difference, 99 %),
/// without noise where the arms have different numbers of samples; `n_base` counts processes. A
/// part of the step that one arm lacks took no time there.
[[nodiscard]] std::vector<Observation> observe_pairs(const PairsInput& input);

}  // namespace perfgate::gates
