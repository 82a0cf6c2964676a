#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/rules/rules.h"
#include "runner/analysis/diagnosis/sentences.h"
#include "runner/analysis/diagnosis/thresholds.h"

namespace perfgate::analysis::rules {

Findings host_work_per_step(const Unclaimed& unclaimed) {
  // Times alone: only where the step is slower at all.
  if (!step_is_slower(unclaimed)) return {};
  Part part;
  add_idle(unclaimed, part, IdleCause::host);
  if (!matters(unclaimed, part)) return {};
  const bool waits = rise_of(unclaimed, "calls/synchronise") >= kOneCall;
  if (waits) {
    // The work begins when the GPU is done: what ends and begins the gap belongs to it.
    add_idle(unclaimed, part, IdleCause::synchronisation);
    add_launching_idle(unclaimed, part);
  }
  double gpu_work = 0.0;
  for (const LedgerRow& row : unclaimed.ledger.rows) {
    if (row.part == LedgerPart::family) gpu_work += row.ms.change();
  }
  const GapChange* gap = largest_gap(unclaimed, IdleCause::host);
  const double ms = ms_of(unclaimed, part);
  const bool one_place = gap != nullptr && gap->head_ms - gap->base_ms >= kMostOfIt * ms;
  const bool in_range = one_place && !gap->host_range.empty();
  Diagnosis diagnosis;
  diagnosis.cause = "the GPU waits for work of the host" +
                    (in_range ? " in range " + gap->host_range : std::string());
  diagnosis.confidence = one_place ? Confidence::likely : Confidence::possible;
  add_sentence(diagnosis, idle_words(unclaimed, part));
  add_sentence(diagnosis, gap_words(unclaimed, IdleCause::host));
  add_sentence(diagnosis, "time in kernels and copies " + signed_time_words(gpu_work) + " a step");
  add_sentence(diagnosis, count_words(unclaimed, "launch_calls", "launch calls"));
  if (waits) {
    add_sentence(diagnosis, count_words(unclaimed, "calls/synchronise", "synchronising calls"));
  }
  diagnosis.lever =
      "Profile the host between these two kernels (scheduler, Python, tokenizer, data loading), "
      "and "
      "do that work while the GPU runs.";
  return {{diagnosis, part}};
}

}  // namespace perfgate::analysis::rules
