/// Whether a result can be what `judge` said. Pure.
///
/// A result.json is a text that anyone can edit, and a gate that believes its verdict alone is
/// green for the price of one word.
#pragma once

#include <span>
#include <string>

#include "runner/model/run_result.h"
#include "runner/model/workload_spec.h"

namespace perfgate::gates {

/// What of a result does not fit its verdict, in one sentence; empty = nothing was found. The
/// verdict must be the worst of its comparisons (`kWorstFirst`), and invalid where the capture is
/// not valid and nothing failed; each compared value must be the run's own (in session: lie among
/// the samples of its arm, and what is confirmed needs fresh processes of both); and any verdict
/// but `invalid` needs all processes to have ended well (controls and repeated ones aside).
///
/// A row's outcome must be the worst of what its rules found, be a suspect or a failure where its
/// p value lies beyond its interval (the interval is above the margin), and be settled where it
/// passes; a reason that names a row must say the same as it. A row that passes by a line of
/// perfgate-accepts.yaml whose ceiling it keeps is taken as it is.
///
/// The rows of a ledger must sum to the change of its step. Against the store its step and rows are
/// those that were compared or observed; in session its step lies among those of the processes of
/// each arm. It is not established with a rest that is too large, and its causes explain no more
/// than the step changed.
[[nodiscard]] std::string contradiction(const RunResult& result);

/// The same against the gates of the workload: each has a row, judged by the bounds and in the
/// direction that it declares, and none passes that breaks a limit, counts worse than `slack`, or
/// lies above its margin. Needs a result without the contradictions above.
[[nodiscard]] std::string contradiction_of_gates(const RunResult& result,
                                                 std::span<const GateSpec> gates);

}  // namespace perfgate::gates
