/// Whether a result can be what `judge` said. Pure.
///
/// A result.json is a text that anyone can edit, and a gate that believes its verdict alone is
/// green for the price of one word.
#pragma once

#include <string>

#include "runner/model/run_result.h"

namespace perfgate::gates {

/// What of a result does not fit its verdict, in one sentence; empty = nothing was found. The
/// verdict must be the worst of its comparisons (`kWorstFirst`), and invalid where the capture is
/// not valid and nothing failed; each compared value must be the run's own (in session: lie among
/// the samples of its arm, and what is confirmed needs fresh processes of both); and any verdict
/// but `invalid` needs all processes to have ended well (controls and repeated ones aside).
[[nodiscard]] std::string contradiction(const RunResult& result);

}  // namespace perfgate::gates
