#include "gates/rules/counted_exact.h"

#include <algorithm>
#include <string>

#include "gates/values.h"
#include "gates/wording.h"

namespace perfgate::gates {
namespace {

std::string disagreement(const std::vector<double>& samples, const std::string& unit) {
  if (samples.empty()) return {};
  const auto [low, high] = std::ranges::minmax(samples);
  if (low == high) return {};
  return quantity(low, unit) + " to " + quantity(high, unit);
}

void set_change(const MetricCase& metric, Comparison& out) {
  const double slack = metric.gate.slack.value_or(0.0);
  const double change = out.head - out.base;
  const double worse = out.better == Better::lower ? change : -change;
  const std::string what =
      out.metric + " " + quantity(out.base, out.unit) + " -> " + quantity(out.head, out.unit);
  if (change == 0.0) {
    out.outcome = Outcome::pass;
    out.reason = what + ": unchanged in every traced process";
  } else if (worse > slack) {
    out.outcome = Outcome::fail;
    out.reason = what + ": worse by " + quantity(worse, out.unit) +
                 (slack > 0.0 ? ", more than the slack of " + quantity(slack, out.unit)
                              : ", and counts are compared exactly");
  } else if (worse > 0.0) {
    out.outcome = Outcome::pass;
    out.reason = what + ": within the slack of " + quantity(slack, out.unit);
  } else {
    out.improved = true;
    out.outcome = metric.gate.exact ? Outcome::inconclusive : Outcome::pass;
    out.reason = what + ": better by " + quantity(-worse, out.unit);
    if (metric.gate.exact) {
      out.unsettled = Unsettled::better_count;
      out.reason += ", but the gate is exact; record this run as the new baseline if it is meant";
    }
  }
}

}  // namespace

MetricDecision judge_counted(const MetricCase& metric) {
  MetricDecision decision{.comparison = outline(metric.gate, metric.head, metric.base)};
  Comparison& out = decision.comparison;
  if (const std::string problem = value_problem(metric.head, metric.base); !problem.empty()) {
    out.reason = problem;
    return decision;
  }
  if (metric.base.points.empty()) {
    out.outcome = Outcome::no_baseline;
    out.reason = out.metric + ": the store has no value of it to compare with";
    out.unsettled = Unsettled::few_runs;
    out.runs_to_settle = 1;
    return decision;
  }
  const BaselinePoint& newest = metric.base.points.back();
  out.base = newest.value;
  out.delta_ratio = out.base > 0.0 ? out.head / out.base - 1.0 : 0.0;
  const std::string head_spread = disagreement(metric.head.samples, out.unit);
  const std::string base_spread = disagreement(newest.samples, out.unit);
  if (!head_spread.empty() || !base_spread.empty()) {
    out.outcome = Outcome::inconclusive;
    out.unsettled = Unsettled::counts_disagree;
    out.reason = out.metric + ": the traced processes of " +
                 (head_spread.empty() ? "the baseline" : "this run") + " disagree (" +
                 (head_spread.empty() ? base_spread : head_spread) + "), so no exact count exists";
    return decision;
  }
  set_change(metric, out);
  return decision;
}

}  // namespace perfgate::gates
