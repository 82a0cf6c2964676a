#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/rules/rules.h"
#include "runner/analysis/diagnosis/sentences.h"

namespace perfgate::analysis::rules {
Findings h2d_copy_per_step(const Unclaimed& unclaimed) {
  const KernelSet kernels = kernels_where(
      unclaimed, [](const KernelChange& kernel) { return is_to_device(name_of(kernel)); });
  const KernelTotals totals = totals_of(unclaimed, kernels);
  if (kernels.empty() || !has_more_copies(totals)) return {};
  Part part{.kernels = kernels};
  add_gaps_at(unclaimed, part, is_to_device);
  // A copy that blocks its caller: idle time of cause transfer, unless copies back may have it.
  const KernelTotals back =
      totals_of(unclaimed, kernels_where(unclaimed, [](const KernelChange& kernel) {
                  return is_to_host(name_of(kernel));
                }));
  if (!has_more_copies(back)) add_idle(unclaimed, part, IdleCause::transfer);
  if (!matters(unclaimed, part)) return {};
  Diagnosis diagnosis;
  diagnosis.cause = "data is copied from host to device in the step";
  diagnosis.confidence = Confidence::likely;
  add_sentence(diagnosis, "copies from host to device " + number_words(totals.base_calls) + " -> " +
                              number_words(totals.head_calls) + " a step, " +
                              bytes_words(totals.base_bytes) + " -> " +
                              bytes_words(totals.head_bytes) + ", " + time_words(totals.base_ms) +
                              " -> " + time_words(totals.head_ms));
  add_sentence(diagnosis, idle_words(unclaimed, part));
  add_sentence(diagnosis, neighbour_words(add_lost_overlap(unclaimed, part, totals.more_calls())));
  diagnosis.lever =
      "Keep the data on the device, or copy it from pinned memory on a stream of its own while the "
      "step before runs.";
  return {{diagnosis, part}};
}

}  // namespace perfgate::analysis::rules
