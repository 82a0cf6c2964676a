/// The last step of a run: where the change of the step went, and what that says.
#pragma once

#include <vector>

#include "runner/analysis/ledger.h"
#include "runner/measure/samples.h"
#include "runner/model/run_result.h"
#include "runner/model/workload_spec.h"

namespace perfgate::cli {

/// One program's processes as a side of a ledger; `analysis` outlives the result.
[[nodiscard]] analysis::LedgerInput ledger_side(const WorkloadSpec& spec,
                                                const std::vector<ProcessRecord>& processes,
                                                measure::StepBasis basis, const Analysis& analysis);

/// Fills `ledger`, where it is not there yet, out of what was compared with the store, and
/// `diagnosis`. A result with nothing to compare keeps neither.
void explain_result(RunResult& result);

}  // namespace perfgate::cli
