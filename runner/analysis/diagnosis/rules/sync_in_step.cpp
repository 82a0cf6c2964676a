#include <algorithm>

#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/rules/rules.h"
#include "runner/analysis/diagnosis/sentences.h"
#include "runner/analysis/diagnosis/thresholds.h"

namespace perfgate::analysis::rules {
namespace {

/// Calls that belong to copies to the host, which d2h_wait_per_step has named already.
double waits_for_copies(const Unclaimed& unclaimed) {
  double calls = 0.0;
  for (const UnclaimedKernel& kernel : unclaimed.kernels) {
    const std::string& name = name_of(kernel.change);
    if (!kernel.taken || !is_to_host(name)) continue;
    calls += kernel.change.head.calls_per_step - kernel.change.base.calls_per_step;
  }
  return calls;
}

/// Of the gaps that begin with a wait: what of them is not waiting, but launching anew.
double after_waiting_ms(const Unclaimed& unclaimed, const Part& part) {
  const std::size_t row = row_of(unclaimed, LedgerPart::idle, "synchronisation");
  if (row == kNoRow) return 0.0;
  double ms = 0.0;
  for (const GapChange& gap : unclaimed.ledger.rows[row].gaps) ms += gap.head_ms - gap.base_ms;
  return std::max(0.0, ms - ms_of(unclaimed, part));
}

}  // namespace

Findings sync_in_step(const Unclaimed& unclaimed) {
  const double more = rise_of(unclaimed, "calls/synchronise") - waits_for_copies(unclaimed);
  if (more < kOneCall) return {};
  Part part;
  add_idle(unclaimed, part, IdleCause::synchronisation);
  if (graphs_fell(unclaimed)) {
    // The pace of single launches is the lost graph's.
    const double after = after_waiting_ms(unclaimed, part);
    const double before = ms_of(unclaimed, part);
    add_idle(unclaimed, part, IdleCause::launch_overhead, after);
    const double rest = after - (ms_of(unclaimed, part) - before);
    add_idle(unclaimed, part, IdleCause::host, rest);
  } else {
    add_launching_idle(unclaimed, part);
  }
  if (!matters(unclaimed, part)) return {};
  // A wait before a long piece of host work is a part of that gap: host_work_per_step.
  if (is_host_work(unclaimed, more)) return {};
  Diagnosis diagnosis;
  diagnosis.cause = "the host waits for the GPU in the step";
  diagnosis.confidence = Confidence::likely;
  add_sentence(diagnosis, calls_of_class_words(unclaimed, ApiClass::synchronise,
                                               "calls/synchronise", "synchronising calls"));
  if (more > 1.0 + kOneCall) {
    add_sentence(diagnosis, number_words(more) + " more a step" + each_words(unclaimed, more));
  }
  add_idle_sentences(unclaimed, part, IdleCause::synchronisation, more, diagnosis);
  diagnosis.lever =
      "Take the synchronising call out of the step (.item(), .cpu(), a debug flag, a timer), or "
      "wait once at its end.";
  return {{diagnosis, part}};
}

}  // namespace perfgate::analysis::rules
