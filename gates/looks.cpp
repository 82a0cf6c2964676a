#include "gates/looks.h"

#include <algorithm>
#include <string_view>

#include "gates/wording.h"

namespace perfgate::gates {
namespace {

/// One that lies off by less than a lone run has to: each process narrows the error it is told in.
bool is_lone_run(const Comparison& row) {
  return row.outcome == Outcome::suspected && row.unsettled == Unsettled::lone_run;
}

/// A suspect whose evidence is too weak for a FAIL is as undecided as a wide interval.
bool is_undecided(const Comparison& row) {
  return row.outcome == Outcome::inconclusive || is_lone_run(row) ||
         (row.outcome == Outcome::suspected && row.unsettled == Unsettled::weak_evidence);
}

/// What one more sample is: a process of the run, or a pair of processes in session.
std::string_view sample_of(const Comparison& row) {
  return row.against == Against::session ? "pair" : "process";
}

/// Processes that would settle the row; 0 = not known, or none would.
int wanted_by(const Comparison& row, int done) {
  return row.processes_to_settle > 0 ? done + row.processes_to_settle : 0;
}

/// The row asks for more than the file allows.
std::string beyond_words(const Comparison& row, int done, int last) {
  return row.metric + " is undecided with " + count_of(done, sample_of(row)) + " and would take " +
         std::to_string(wanted_by(row, done)) + "; the workload file ends with " +
         std::to_string(last);
}

}  // namespace

LookAdvice next_look(const GateOutput& output, std::span<const int> looks, int done, bool traced) {
  const int last = looks.empty() ? 0 : std::ranges::max(looks);
  bool undecided = false;
  const Comparison* helped = nullptr;
  std::string_view sample = "process";
  std::string beyond;  // the first that asks for more than the file allows
  for (std::size_t i = 0; i < output.comparisons.size(); ++i) {
    const Comparison& row = output.comparisons[i];
    if ((row.kind != MetricKind::timed) != traced || !is_undecided(row)) continue;
    undecided = true;
    sample = sample_of(row);
    const int wanted = wanted_by(row, done);
    const bool dominates = (row.outcome == Outcome::inconclusive || is_lone_run(row)) &&
                           output.sensitivities[i].process_part > kDominantPart;
    const bool helps = dominates || (wanted > 0 && wanted <= last);
    if (helps && helped == nullptr) helped = &row;
    if (wanted > last && beyond.empty()) beyond = beyond_words(row, done, last);
  }
  if (!undecided) return {};
  for (const int look : looks) {
    if (look <= done || helped == nullptr) continue;
    return {.processes = look,
            .why = helped->metric + " is undecided with " + count_of(done, sample_of(*helped)) +
                   ", looking at " + std::to_string(look)};
  }
  if (!beyond.empty()) return {.processes = 0, .why = beyond};
  if (helped == nullptr) {
    return {.processes = 0,
            .why = "more " + std::string(sample) + (sample == "pair" ? "s" : "es") +
                   " would not narrow an undecided gate enough"};
  }
  return {.processes = 0, .why = helped->metric + " is undecided at the last look"};
}

}  // namespace perfgate::gates
