/// What the ungated metrics did against the store. Pure. It explains a verdict and decides nothing.
///
/// Every metric of the run that no gate asks for and that the store's runs have too, and each
/// family and idle cause that only the store has (its time is 0 now) or only this run (it was 0). A
/// family that single runs of the store lack took no time in them. Traced metrics only out of a
/// valid capture and with a small tracing tax on both sides, as in judge.h; nothing without a
/// comparable baseline.
#pragma once

#include <string>
#include <vector>

#include "gates/judge.h"

namespace perfgate::gates {

[[nodiscard]] std::vector<Observation> observe(const GateInput& input);

/// Why times out of captures cannot be compared here; empty = they can.
[[nodiscard]] std::string tracing_problem(const GateInput& input);

}  // namespace perfgate::gates
