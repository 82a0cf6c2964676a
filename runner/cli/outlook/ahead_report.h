/// What `validate --against-store` prints. Pure.
#pragma once

#include <string>
#include <vector>

#include "reporters/render/display_text.h"
#include "runner/cli/json_output.h"
#include "runner/cli/outlook/against_store.h"

namespace perfgate::cli {

/// The baseline, then each gate: spread, bounds, what an unchanged run comes to, what is found, and
/// a line of advice where the gate can never pass or never fail.
[[nodiscard]] std::string ahead_text(const WorkloadAhead& ahead,
                                     const render::TerminalStyle& style);
[[nodiscard]] Json ahead_json(const WorkloadAhead& ahead);

/// What would help a gate, a sentence each; empty = nothing is wrong with it.
[[nodiscard]] std::vector<std::string> advice_on(const gates::Outlook& gate);

}  // namespace perfgate::cli
