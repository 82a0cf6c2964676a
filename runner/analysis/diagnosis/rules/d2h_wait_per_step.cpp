#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/rules/rules.h"
#include "runner/analysis/diagnosis/sentences.h"
#include "runner/analysis/diagnosis/thresholds.h"

namespace perfgate::analysis::rules {
Findings d2h_wait_per_step(const Unclaimed& unclaimed) {
  const KernelSet kernels = kernels_where(
      unclaimed, [](const KernelChange& kernel) { return is_to_host(name_of(kernel)); });
  const KernelTotals totals = totals_of(unclaimed, kernels);
  if (kernels.empty() || !has_more_copies(totals)) return {};
  Part part{.kernels = kernels};
  add_gaps_at(unclaimed, part, is_to_host);
  add_idle(unclaimed, part, IdleCause::transfer);
  // The wait for the copy: unless more calls wait than copies came.
  const double waits = rise_of(unclaimed, "calls/synchronise");
  if (waits < totals.more_calls() + kOneCall && !graphs_fell(unclaimed)) {
    add_idle(unclaimed, part, IdleCause::synchronisation);
    if (waits >= kOneCall) add_launching_idle(unclaimed, part);
  }
  if (!matters(unclaimed, part)) return {};
  const std::string idle = idle_words(unclaimed, part);
  Diagnosis diagnosis;
  diagnosis.cause = idle.empty() ? "data is copied from device to host in the step"
                                 : "the step waits for a copy from device to host";
  diagnosis.confidence = idle.empty() ? Confidence::possible : Confidence::likely;
  add_sentence(diagnosis, "copies from device to host " + number_words(totals.base_calls) + " -> " +
                              number_words(totals.head_calls) + " a step, " +
                              bytes_words(totals.base_bytes) + " -> " +
                              bytes_words(totals.head_bytes) + ", " + time_words(totals.base_ms) +
                              " -> " + time_words(totals.head_ms));
  add_sentence(diagnosis, idle);
  if (waits >= kOneCall) {
    add_sentence(diagnosis, count_words(unclaimed, "calls/synchronise", "synchronising calls"));
  }
  add_sentence(diagnosis, neighbour_words(add_lost_overlap(unclaimed, part, totals.more_calls())));
  diagnosis.lever =
      "Leave the result on the device, or copy it asynchronously to pinned memory and read it a "
      "step later.";
  return {{diagnosis, part}};
}

}  // namespace perfgate::analysis::rules
