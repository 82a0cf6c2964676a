#include "gates/decision.h"

#include <algorithm>
#include <array>
#include <utility>

#include "gates/judge.h"

namespace perfgate::gates {

Comparison outline(const GateSpec& gate, const MetricValue& head, const BaselineSeries& base) {
  Comparison row;
  row.metric = gate.metric;
  row.kind = head.kind;
  row.unit = head.unit;
  row.better = gate.better.value_or(head.better);
  row.head = head.value;
  row.n_base = static_cast<int>(base.points.size());
  row.n_head = static_cast<int>(head.samples.size());
  return row;
}

Comparison outline_pairs(const GateSpec& gate, const MetricValue& head, const MetricValue& base) {
  Comparison row = outline(gate, head, {});
  row.against = Against::session;
  row.n_base = static_cast<int>(base.samples.size());
  return row;
}

MetricDecision undecided(const GateSpec& gate, const MetricValue* metric, Outcome outcome,
                         std::string reason, Unsettled unsettled, int runs_to_settle) {
  MetricDecision decision;
  decision.comparison.metric = gate.metric;
  if (metric != nullptr) decision.comparison = outline(gate, *metric, {});
  decision.comparison.outcome = outcome;
  decision.comparison.reason = std::move(reason);
  decision.comparison.unsettled = unsettled;
  decision.comparison.runs_to_settle = runs_to_settle;
  return decision;
}

void note_compared(Comparison& row, Outcome outcome) {
  const auto known = std::ranges::find(row.findings, RuleCode::compared, &RuleFinding::code);
  if (known != row.findings.end()) {
    known->outcome = outcome;
  } else {
    row.findings.push_back({.code = RuleCode::compared, .outcome = outcome});
  }
}

void settle(Comparison& row) {
  row.unsettled = Unsettled::no;
  row.processes_to_settle = row.runs_to_settle = 0;
}

void merge(MetricDecision& all, MetricDecision next) {
  const std::array outcomes{all.comparison.outcome, next.comparison.outcome};
  const Outcome worst = worst_outcome(outcomes);
  const std::string reasons = all.comparison.reason + "; " + next.comparison.reason;
  std::vector<RuleFinding> findings = all.comparison.findings;
  findings.insert(findings.end(), next.comparison.findings.begin(), next.comparison.findings.end());
  const Comparison& other = next.comparison;
  // The row keeps the figures of the rule that compared, or that says what it would take.
  if (other.interval_known || other.p_value || other.unsettled != Unsettled::no)
    std::swap(all, next);
  all.comparison.outcome = worst;
  all.comparison.reason = reasons;
  all.comparison.findings = std::move(findings);
  if (worst == Outcome::fail) settle(all.comparison);
}

}  // namespace perfgate::gates
