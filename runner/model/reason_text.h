/// Where codes become words: what the gate finds and reports tell again is worded here alone. Pure;
/// the same bytes on every machine.
#pragma once

#include <string>
#include <string_view>

#include "runner/model/analysis.h"
#include "runner/model/comparison.h"

namespace perfgate {

/// At most five significant digits and the unit: "4.2699 ms", "385" for the unit "1".
[[nodiscard]] std::string quantity(double value, std::string_view unit);

/// The finding of a row that a limit of its own was broken; nullptr where none says so.
[[nodiscard]] const RuleFinding* broken_limit_of(const Comparison& row);

/// "step_time_p50 4.49 ms is above the limit of 4 ms", of a finding with a broken limit; empty for
/// others.
[[nodiscard]] std::string text_of(const Comparison& row, const RuleFinding& finding);

/// "the recording is not complete: process 3 is missing".
[[nodiscard]] std::string text_of(const MeasurementProblem& problem);

/// "the traced process gave another output (hash bb, untraced aa)"; empty where it did not.
[[nodiscard]] std::string text_of(const OutputCheck& output);

}  // namespace perfgate
