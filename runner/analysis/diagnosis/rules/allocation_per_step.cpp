#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/rules/rules.h"
#include "runner/analysis/diagnosis/sentences.h"
#include "runner/analysis/diagnosis/thresholds.h"

namespace perfgate::analysis::rules {

Findings allocation_per_step(const Unclaimed& unclaimed) {
  const double more = rise_of(unclaimed, "calls/allocation");
  if (more < kRareCall) return {};
  Part part;
  add_idle(unclaimed, part, IdleCause::allocation);
  // Freeing waits for the GPU by itself; calls that wait on their own are another rule's.
  const bool alone = rise_of(unclaimed, "calls/synchronise") < kOneCall;
  if (alone) add_idle(unclaimed, part, IdleCause::synchronisation);
  if (alone && !graphs_fell(unclaimed)) add_launching_idle(unclaimed, part);
  if (!matters(unclaimed, part)) return {};
  Diagnosis diagnosis;
  diagnosis.cause = "memory is allocated or freed in the step";
  diagnosis.confidence = Confidence::likely;
  add_sentence(diagnosis, calls_of_class_words(unclaimed, ApiClass::allocation, "calls/allocation",
                                               "allocation calls"));
  add_idle_sentences(unclaimed, part, IdleCause::allocation, more, diagnosis);
  diagnosis.lever =
      "Allocate once before the steps, or from a pool (cudaMallocAsync, the framework's caching "
      "allocator).";
  return {{diagnosis, part}};
}

}  // namespace perfgate::analysis::rules
