#include "gates/verdict.h"

#include <algorithm>
#include <string>
#include <utility>

#include "gates/comparability.h"
#include "gates/wording.h"

namespace perfgate::gates {
namespace {

const char* code_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass: return "within_tolerance";
    case Outcome::fail: return "breach";
    case Outcome::suspected: return "suspected";
    case Outcome::inconclusive: return "inconclusive";
    case Outcome::not_comparable: return "not_comparable";
    case Outcome::no_baseline: return "no_baseline";
    case Outcome::invalid: return "invalid_metric";
  }
  return "invalid_metric";
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : "; ") + text;
  return all.empty() ? "no reason was recorded" : all;
}

void add_facts(const GateInput& input, Verdict& verdict) {
  const Comparability& comparability = input.choice.comparability;
  if (!comparability.environment.empty()) {
    verdict.reasons.push_back(
        {.code = "environment_differs",
         .text = "another environment: " + describe(comparability.environment)});
  }
  if (!comparability.subject.empty()) {
    verdict.reasons.push_back(
        {.code = "subject_differs", .text = "changed: " + describe(comparability.subject)});
  }
  if (input.choice.exists && !comparability.same_instance) {
    verdict.reasons.push_back({.code = "instance_differs",
                               .text = "this run used another GPU than the newest baseline run"});
  }
}

void add_decision(const MetricDecision& decision, Verdict& verdict) {
  const Comparison& row = decision.comparison;
  verdict.reasons.push_back(
      {.code = row.improved ? "improved" : code_of(row.outcome), .text = row.reason});
  if (!decision.configuration_error.empty()) {
    verdict.reasons.push_back(
        {.code = "gate_can_never_pass", .text = decision.configuration_error});
  }
  for (const Reason& note : decision.notes) verdict.reasons.push_back(note);
}

}  // namespace

Verdict form_verdict(const GateInput& input, std::span<const MetricDecision> decisions) {
  Verdict verdict;
  if (!input.measurement_ok) {
    verdict.outcome = Outcome::invalid;
    verdict.reasons.push_back({.code = "measurement_invalid", .text = input.measurement_problem});
    return verdict;
  }
  std::vector<Outcome> outcomes;
  for (const MetricDecision& decision : decisions) {
    outcomes.push_back(decision.comparison.outcome);
  }
  // Partial and suspect captures too: what they lack may be the very thing that regressed.
  const bool unusable = input.capture_expected && input.capture.validity != Validity::valid;
  if (unusable) outcomes.push_back(Outcome::invalid);
  verdict.outcome = worst_outcome(outcomes);
  if (unusable) {
    verdict.reasons.push_back({.code = "capture_" + std::string(to_string(input.capture.validity)),
                               .text = "the capture is " +
                                       std::string(to_string(input.capture.validity)) + ": " +
                                       joined(input.capture.reasons)});
  }
  for (const Outcome outcome : kWorstFirst) {
    for (const MetricDecision& decision : decisions) {
      if (decision.comparison.outcome == outcome) add_decision(decision, verdict);
    }
  }
  add_facts(input, verdict);
  return verdict;
}

}  // namespace perfgate::gates
