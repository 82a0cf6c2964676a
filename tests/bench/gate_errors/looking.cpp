#include "tests/bench/gate_errors/looking.h"

#include "gates/looks.h"

namespace perfgate::bench {

Judged judge_in_session(const WorkloadSpec& spec, const PairsAt& pairs) {
  Judged judged;
  int seen = 0;
  for (int next = spec.timing.processes.front(); next > 0;) {
    seen = next;
    judged.output = gates::screen_pairs(pairs(0, static_cast<std::size_t>(seen)));
    next = gates::next_look(judged.output, spec.timing.processes, seen, false).processes;
  }
  const int fresh = gates::confirm_needs(judged.output, spec).timing_pairs;
  if (fresh > 0) {
    judged.output = gates::confirm_pairs(
        judged.output, pairs(static_cast<std::size_t>(seen), static_cast<std::size_t>(fresh)));
  }
  judged.processes = 2 * (seen + fresh);
  judged.confirmed = fresh > 0;
  return judged;
}

Judged judge_against_store(const WorkloadSpec& spec, const ProcessesAt& processes) {
  Judged judged;
  for (int next = spec.timing.processes.front(); next > 0;) {
    judged.processes = next;
    judged.output = gates::judge(processes(static_cast<std::size_t>(next)));
    next = gates::next_look(judged.output, spec.timing.processes, next, false).processes;
  }
  return judged;
}

}  // namespace perfgate::bench
