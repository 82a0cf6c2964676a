#include "gates/rules/absolute_limits.h"

#include <string>

#include "gates/values.h"
#include "gates/wording.h"

namespace perfgate::gates {

MetricDecision judge_absolute_limits(const MetricCase& metric) {
  MetricDecision decision{.comparison = outline(metric.gate, metric.head, {})};
  Comparison& out = decision.comparison;
  if (const std::string problem = value_problem(metric.head, {}); !problem.empty()) {
    out.reason = problem;
    out.findings = {{.code = RuleCode::no_value, .outcome = out.outcome}};
    return decision;
  }
  RuleFinding finding{.code = RuleCode::keeps_limit, .outcome = Outcome::pass};
  if (metric.gate.max && out.head > *metric.gate.max) {
    finding = {RuleCode::above_limit, metric.gate.max, Outcome::fail};
  } else if (metric.gate.min && out.head < *metric.gate.min) {
    finding = {RuleCode::below_limit, metric.gate.min, Outcome::fail};
  }
  out.outcome = finding.outcome;
  out.findings = {finding};
  if (finding.code != RuleCode::keeps_limit) {
    out.reason = text_of(out, finding);
  } else {
    out.reason = out.metric + " " + quantity(out.head, out.unit) + " keeps its limit of " +
                 (metric.gate.max ? "at most " + quantity(*metric.gate.max, out.unit) : "") +
                 (metric.gate.max && metric.gate.min ? " and " : "") +
                 (metric.gate.min ? "at least " + quantity(*metric.gate.min, out.unit) : "");
  }
  return decision;
}

}  // namespace perfgate::gates
