#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/rules/rules.h"
#include "runner/analysis/diagnosis/sentences.h"
#include "runner/analysis/diagnosis/thresholds.h"

namespace perfgate::analysis::rules {

Findings communication_exposed(const Unclaimed& unclaimed) {
  const std::size_t row = row_of(unclaimed, LedgerPart::family, "comm");
  if (row == kNoRow || !step_is_slower(unclaimed)) return {};
  const KernelSet kernels =
      kernels_where(unclaimed, [](const KernelChange& kernel) { return kernel.family == "comm"; });
  Part part{.kernels = kernels};
  part.rows[row] = unclaimed.left_ms[row] - ms_of(unclaimed, {.kernels = kernels});
  if (!matters(unclaimed, part)) return {};
  double compute = 0.0;
  for (std::size_t i = 0; i < unclaimed.left_ms.size(); ++i) {
    const LedgerRow& other = unclaimed.ledger.rows[i];
    if (i != row && other.part == LedgerPart::family) compute += other.ms.change();
  }
  const KernelTotals totals = totals_of(unclaimed, kernels);
  const LedgerChange& ms = unclaimed.ledger.rows[row].ms;
  const bool more = totals.more_calls() >= kOneCall;
  // Compute that takes longer too may hide less or wait itself.
  const bool alone = compute < kComputeBeside * ms_of(unclaimed, part);
  Diagnosis diagnosis;
  diagnosis.cause = more ? "there is more communication that compute does not hide"
                         : "communication is less hidden by compute, or waits longer";
  diagnosis.confidence = alone ? Confidence::likely : Confidence::possible;
  add_sentence(diagnosis, "exposed communication " + time_words(ms.base) + " -> " +
                              time_words(ms.head) + " a step, all other families " +
                              signed_time_words(compute));
  add_sentence(diagnosis, calls_words(unclaimed, kernels));
  diagnosis.lever =
      "Look for a slower rank that the others wait for, and for what keeps communication from "
      "running beside compute.";
  return {{diagnosis, part}};
}

}  // namespace perfgate::analysis::rules
