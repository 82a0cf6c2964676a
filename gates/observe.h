/// What the ungated metrics did against the store. Pure. It explains a verdict and decides nothing.
///
/// Every metric of the run that no gate asks for and that the store's runs have too, and each
/// family and idle cause that only the store has (its time is 0 now) or only this run (it was 0). A
/// family that single runs of the store lack took no time in them. Traced metrics only out of a
/// valid capture and with a small tracing tax on both sides, as in judge.h; nothing without a
/// comparable baseline.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gates/judge.h"

namespace perfgate::gates {

[[nodiscard]] std::vector<Observation> observe(const GateInput& input);

/// "family_ms/" or "idle_ms/" for a part of a step; empty for any other metric. A run without a row
/// of a part spent no time in it.
[[nodiscard]] std::string_view part_prefix(std::string_view id);

[[nodiscard]] bool is_gated(const WorkloadSpec& spec, const std::string& id);

/// Why the times out of one side's captures cannot be compared: traced / untraced is not known or
/// beyond `kTracedOverUntracedBound`. `side` begins the sentence. Empty = they can.
[[nodiscard]] std::string tracing_problem(std::string_view side, double traced_over_untraced);
/// The same for a run against the store, both sides.
[[nodiscard]] std::string tracing_problem(const GateInput& input);

}  // namespace perfgate::gates
