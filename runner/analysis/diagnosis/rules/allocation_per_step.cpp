#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/rules/rules.h"
#include "runner/analysis/diagnosis/sentences.h"

namespace perfgate::analysis::rules {

Findings allocation_per_step(const Unclaimed& unclaimed) {
  const double more = rise_of(unclaimed, "calls/allocation");
  if (more < 0.05) return {};
  Part part;
  add_idle(unclaimed, part, IdleCause::allocation);
  // Freeing waits for the GPU by itself; calls that wait on their own are another rule's.
  const bool alone = rise_of(unclaimed, "calls/synchronise") < 0.5;
  if (alone) add_idle(unclaimed, part, IdleCause::synchronisation);
  if (alone && !graphs_fell(unclaimed)) add_launching_idle(unclaimed, part);
  if (!matters(unclaimed, part)) return {};
  Diagnosis diagnosis;
  diagnosis.cause = "memory is allocated or freed in the step";
  diagnosis.confidence = Confidence::likely;
  const std::string call = call_name(unclaimed, ApiClass::allocation);
  add_sentence(diagnosis, count_words(unclaimed, "calls/allocation", "allocation calls") +
                              (call.empty() ? "" : ", most of them " + call));
  add_sentence(diagnosis, idle_words(unclaimed, part));
  add_sentence(diagnosis, gap_words(unclaimed, IdleCause::allocation));
  add_sentence(diagnosis, neighbour_words(add_lost_overlap(unclaimed, part, more)));
  diagnosis.lever =
      "Allocate once before the steps, or from a pool (cudaMallocAsync, the framework's caching "
      "allocator).";
  return {{diagnosis, part}};
}

}  // namespace perfgate::analysis::rules
