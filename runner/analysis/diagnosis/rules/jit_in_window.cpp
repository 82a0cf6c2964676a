#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/rules/rules.h"
#include "runner/analysis/diagnosis/sentences.h"
#include "runner/analysis/diagnosis/thresholds.h"

namespace perfgate::analysis::rules {

Findings jit_in_window(const Unclaimed& unclaimed) {
  Part part;
  add_idle(unclaimed, part, IdleCause::jit);
  const bool counted = rise_of(unclaimed, "calls/module_load") > kRareLoad;
  // Idle time of this cause is spent in loads and compilers only, however much it varies (jit:
  // 2.2 +- 3.2 ms over three processes, the base always 0). Loads beside a busy GPU cost nothing.
  const bool shown = step_is_slower(unclaimed) || matters(unclaimed, part);
  if (ms_of(unclaimed, part) < unclaimed.floor_ms || !(counted || matters(unclaimed, part)))
    return {};
  Diagnosis diagnosis;
  diagnosis.cause = "modules are loaded or compiled during the measured steps";
  diagnosis.confidence = counted && shown ? Confidence::certain : Confidence::likely;
  add_sentence(diagnosis, count_words(unclaimed, "calls/module_load", "module loads"));
  add_sentence(diagnosis, idle_words(unclaimed, part));
  add_sentence(diagnosis, gap_words(unclaimed, IdleCause::jit));
  diagnosis.lever =
      "Raise the warm-up until nothing is loaded in the measured steps, or load everything before "
      "them.";
  return {{diagnosis, part}};
}

}  // namespace perfgate::analysis::rules
