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

/// What the head is compared with.
struct Reference {
  double value = 0.0;
  const std::vector<double>& samples;
  const char* head = "this run";
  const char* base = "the baseline";
};

/// What a program reports is counted by each of its processes, without a trace.
bool is_reported(const Comparison& row) { return row.metric.starts_with("reported/"); }

void set_change(const GateSpec& gate, Comparison& out) {
  const double slack = gate.slack.value_or(0.0);
  const double change = out.head - out.base;
  const double worse = out.better == Better::lower ? change : -change;
  const std::string what =
      out.metric + " " + quantity(out.base, out.unit) + " -> " + quantity(out.head, out.unit);
  if (change == 0.0) {
    out.outcome = Outcome::pass;
    out.reason = what + (is_reported(out) ? ": unchanged in every process"
                                          : ": unchanged in every traced process");
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
    out.outcome = gate.exact ? Outcome::inconclusive : Outcome::pass;
    out.reason = what + ": better by " + quantity(-worse, out.unit);
    if (gate.exact) {
      out.unsettled = Unsettled::better_count;
      out.reason += ", but the gate is exact; record this run as the new baseline if it is meant";
    }
  }
}

void compare(const GateSpec& gate, const MetricValue& head, const Reference& base,
             Comparison& out) {
  out.base = base.value;
  out.delta_ratio = out.base > 0.0 ? out.head / out.base - 1.0 : 0.0;
  const std::string head_spread = disagreement(head.samples, out.unit);
  const std::string base_spread = disagreement(base.samples, out.unit);
  if (head_spread.empty() && base_spread.empty()) return set_change(gate, out);
  out.outcome = Outcome::inconclusive;
  out.unsettled = Unsettled::counts_disagree;
  out.reason = out.metric +
               (is_reported(out) ? ": the processes of " : ": the traced processes of ") +
               (head_spread.empty() ? base.base : base.head) + " disagree (" +
               (head_spread.empty() ? base_spread : head_spread) + "), so no exact count exists";
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
  compare(metric.gate, metric.head, {.value = newest.value, .samples = newest.samples}, out);
  return decision;
}

MetricDecision judge_paired_counts(const PairCase& pair) {
  MetricDecision decision{.comparison = outline_pairs(pair.gate, pair.head, pair.base)};
  Comparison& out = decision.comparison;
  if (const std::string problem = pairs_problem(pair.head, pair.base); !problem.empty()) {
    out.reason = problem;
    return decision;
  }
  compare(pair.gate, pair.head,
          {.value = pair.base.value,
           .samples = pair.base.samples,
           .head = "the head",
           .base = "the base"},
          out);
  out.confirmed = out.outcome == Outcome::fail;
  return decision;
}

}  // namespace perfgate::gates
