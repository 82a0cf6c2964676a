#include "gates/verdict.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "gates/comparability.h"
#include "gates/wording.h"

namespace perfgate::gates {
namespace {

/// The codes of rows; `confirmed_verdict` writes those anew.
constexpr std::array<std::string_view, 14> kRowCodes{
    "within_tolerance", "improved",       "breach",       "confirmed",      "suspected",
    "lone_run",         "unconfirmed",    "inconclusive", "not_comparable", "no_baseline",
    "not_shown_again",  "invalid_metric", "less_work",    "other_output"};

constexpr std::string_view kSharedGpu = "shared_gpu";

std::string code_of(const MetricDecision& decision) {
  const Comparison& row = decision.comparison;
  if (row.improved) return "improved";
  if (!decision.code.empty()) return decision.code;
  switch (row.outcome) {
    case Outcome::pass: return "within_tolerance";
    case Outcome::fail: return row.confirmed ? "confirmed" : "breach";
    case Outcome::suspected:
      return row.unsettled == Unsettled::unconfirmed ? "unconfirmed" : "suspected";
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

void add_facts(const VerdictFacts& facts, Verdict& verdict) {
  if (!facts.environment.empty()) {
    verdict.reasons.push_back({.code = "environment_differs",
                               .text = "another environment: " + describe(facts.environment)});
  }
  if (!facts.subject.empty()) {
    verdict.reasons.push_back(
        {.code = "subject_differs", .text = "changed: " + describe(facts.subject)});
  }
  if (facts.other_instance) {
    verdict.reasons.push_back({.code = "instance_differs",
                               .text = "this run used another GPU than the newest baseline run"});
  }
  verdict.reasons.insert(verdict.reasons.end(), facts.work.begin(), facts.work.end());
}

void add_capture(const char* prefix, const char* named, const CaptureVerdict& capture,
                 Verdict& verdict) {
  const std::string word(to_string(capture.validity));
  verdict.reasons.push_back(
      {.code = prefix + word,
       .text = std::string(named) + " is " + word + ": " + joined(capture.reasons)});
}

/// Worst first.
void add_rows(std::span<const MetricDecision> decisions, Verdict& verdict) {
  for (const Outcome outcome : kWorstFirst) {
    for (const MetricDecision& decision : decisions) {
      if (decision.comparison.outcome != outcome) continue;
      const Comparison& row = decision.comparison;
      verdict.reasons.push_back(
          {.code = code_of(decision), .text = row.reason, .metric = row.metric});
      if (!decision.configuration_error.empty()) {
        verdict.reasons.push_back({.code = "gate_can_never_pass",
                                   .text = decision.configuration_error,
                                   .metric = row.metric});
      }
      for (const Reason& note : decision.notes) {
        verdict.reasons.push_back(note);
        verdict.reasons.back().metric = row.metric;
      }
    }
  }
}

std::vector<Outcome> outcomes_of(std::span<const MetricDecision> decisions) {
  std::vector<Outcome> outcomes;
  outcomes.reserve(decisions.size() + 1);
  for (const MetricDecision& decision : decisions) {
    outcomes.push_back(decision.comparison.outcome);
  }
  return outcomes;
}

}  // namespace

bool is_spoilt_by_sharing(std::string_view shared_gpu, const CaptureVerdict& capture) {
  return !shared_gpu.empty() && capture.validity == Validity::suspect;
}

bool voids_report(const Reason& reason) {
  return reason.code == "measurement_invalid" || reason.code.starts_with("capture_");
}

bool is_row_code(std::string_view code) {
  return std::ranges::find(kRowCodes, code) != kRowCodes.end();
}

Outcome outcome_of(std::span<const Comparison> rows, const Verdict& verdict) {
  std::vector<Outcome> outcomes;
  outcomes.reserve(rows.size() + 1);
  for (const Comparison& row : rows) outcomes.push_back(row.outcome);
  if (std::ranges::any_of(verdict.reasons, voids_report)) outcomes.push_back(Outcome::invalid);
  if (std::ranges::find(verdict.reasons, kSharedGpu, &Reason::code) != verdict.reasons.end())
    outcomes.push_back(Outcome::not_comparable);
  return worst_outcome(outcomes);
}

Verdict form_verdict(const VerdictFacts& facts, std::span<const MetricDecision> decisions) {
  Verdict verdict;
  if (!facts.measurement_ok) {
    verdict.outcome = Outcome::invalid;
    verdict.reasons.push_back(
        {.code = "measurement_invalid", .text = text_of(facts.measurement_problem)});
    verdict.problem = facts.measurement_problem;
    return verdict;
  }
  std::vector<Outcome> outcomes = outcomes_of(decisions);
  const bool in_session = facts.base_capture.has_value();
  if (!facts.shared_gpu.empty()) {
    outcomes.push_back(Outcome::not_comparable);
    verdict.reasons.push_back({.code = std::string(kSharedGpu), .text = facts.shared_gpu});
  }
  const bool spoilt = is_spoilt_by_sharing(facts.shared_gpu, facts.capture);
  // Partial and suspect captures too: what they lack may be the very thing that regressed.
  if (facts.capture_expected && facts.capture.validity != Validity::valid && !spoilt) {
    outcomes.push_back(Outcome::invalid);
    add_capture("capture_", in_session ? "the capture of the head" : "the capture", facts.capture,
                verdict);
  }
  if (facts.capture_expected && in_session && facts.base_capture->validity != Validity::valid) {
    add_capture("base_capture_", "the capture of the base", *facts.base_capture, verdict);
  }
  verdict.outcome = worst_outcome(outcomes);
  add_rows(decisions, verdict);
  add_facts(facts, verdict);
  return verdict;
}

Verdict confirmed_verdict(const Verdict& screened, std::span<const MetricDecision> decisions,
                          const std::optional<MeasurementProblem>& problem,
                          std::span<const Reason> work) {
  Verdict verdict;
  verdict.problem = screened.problem ? screened.problem : problem;
  std::vector<Outcome> outcomes = outcomes_of(decisions);
  std::vector<Reason> beside;
  for (const Reason& reason : screened.reasons) {
    if (std::ranges::find(kRowCodes, reason.code) != kRowCodes.end()) continue;
    (voids_report(reason) ? verdict.reasons : beside).push_back(reason);
    if (reason.code == kSharedGpu) outcomes.push_back(Outcome::not_comparable);
  }
  if (problem) {
    verdict.reasons.push_back({.code = "measurement_invalid",
                               .text = "the fresh pairs cannot be used: " + text_of(*problem)});
  }
  if (!verdict.reasons.empty()) outcomes.push_back(Outcome::invalid);
  verdict.outcome = worst_outcome(outcomes);
  add_rows(decisions, verdict);
  for (const Reason& note : work) {
    if (std::ranges::find(beside, note.text, &Reason::text) == beside.end()) beside.push_back(note);
  }
  verdict.reasons.insert(verdict.reasons.end(), beside.begin(), beside.end());
  verdict.policies = screened.policies;
  return verdict;
}

}  // namespace perfgate::gates
