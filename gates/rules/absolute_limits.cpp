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
    return decision;
  }
  const std::string value = out.metric + " " + quantity(out.head, out.unit);
  if (metric.gate.max && out.head > *metric.gate.max) {
    out.outcome = Outcome::fail;
    out.reason = value + " is above the limit of " + quantity(*metric.gate.max, out.unit);
  } else if (metric.gate.min && out.head < *metric.gate.min) {
    out.outcome = Outcome::fail;
    out.reason = value + " is below the limit of " + quantity(*metric.gate.min, out.unit);
  } else {
    out.outcome = Outcome::pass;
    out.reason = value + " keeps its limit of " +
                 (metric.gate.max ? "at most " + quantity(*metric.gate.max, out.unit) : "") +
                 (metric.gate.max && metric.gate.min ? " and " : "") +
                 (metric.gate.min ? "at least " + quantity(*metric.gate.min, out.unit) : "");
  }
  return decision;
}

}  // namespace perfgate::gates
