#include "runner/cli/run/explain_run.h"

#include <utility>

#include "runner/analysis/diagnosis/diagnose.h"
#include "runner/model/median.h"

namespace perfgate::cli {

analysis::LedgerInput ledger_side(const WorkloadSpec& spec,
                                  const std::vector<ProcessRecord>& processes,
                                  measure::StepBasis basis, const Analysis& analysis) {
  analysis::LedgerInput side;
  side.analysis = &analysis;
  for (const ProcessTiming& timing : measure::timing_samples(spec, processes, basis).processes) {
    if (!timing.step_ms.empty()) side.step_ms.push_back(median(timing.step_ms));
  }
  for (const ProcessRecord& process : processes) {
    if (measure::counts_as_sample(process) && process.after) side.samples.push_back(*process.after);
  }
  return side;
}

void explain_result(RunResult& result) {
  if (!result.ledger) {
    Ledger ledger = analysis::make_ledger(result.comparisons, result.observed, result.analysis);
    if (ledger.rows.empty()) return;
    result.ledger = std::move(ledger);
  }
  result.diagnosis = analysis::diagnose({.ledger = *result.ledger, .head = &result.analysis});
}

}  // namespace perfgate::cli
