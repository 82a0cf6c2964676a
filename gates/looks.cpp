#include "gates/looks.h"

#include "gates/wording.h"

namespace perfgate::gates {

LookAdvice next_look(const GateOutput& output, std::span<const int> looks, int done, bool traced) {
  bool undecided = false;
  std::string helped;
  for (std::size_t i = 0; i < output.comparisons.size(); ++i) {
    const Comparison& row = output.comparisons[i];
    if ((row.kind != MetricKind::timed) != traced) continue;
    if (row.outcome != Outcome::inconclusive) continue;
    undecided = true;
    const bool dominates = output.sensitivities[i].process_part > kDominantPart;
    if (dominates && helped.empty()) helped = row.metric;
  }
  if (!undecided) return {.processes = 0, .why = "every gate is decided"};
  if (helped.empty()) {
    return {.processes = 0, .why = "more processes would not narrow an undecided gate enough"};
  }
  for (const int look : looks) {
    if (look <= done) continue;
    return {.processes = look,
            .why = helped + " is undecided with " + count_of(done, "process") + ", looking at " +
                   std::to_string(look)};
  }
  return {.processes = 0, .why = helped + " is undecided at the last look"};
}

}  // namespace perfgate::gates
