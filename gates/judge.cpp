#include "gates/judge.h"

#include <algorithm>
#include <cmath>

#include "gates/comparability.h"
#include "gates/gate_catalog.h"
#include "gates/statistics.h"
#include "gates/verdict.h"
#include "gates/wording.h"

namespace perfgate::gates {
namespace {

const MetricValue* find_metric(const GateInput& input, const std::string& id) {
  const auto found = std::ranges::find(input.metrics, id, &MetricValue::id);
  return found == input.metrics.end() ? nullptr : &*found;
}

/// An empty series of the right name where the store has none.
BaselineSeries find_series(const GateInput& input, const MetricValue& metric) {
  const auto found = std::ranges::find_if(input.baseline, [&](const BaselineSeries& series) {
    return series.metric == metric.id && series.kind == metric.kind;
  });
  if (found != input.baseline.end()) return *found;
  BaselineSeries none;
  none.metric = metric.id;
  none.kind = metric.kind;
  none.unit = metric.unit;
  return none;
}

MetricDecision undecided(const GateSpec& gate, const MetricValue* metric, Outcome outcome,
                         std::string reason) {
  MetricDecision decision;
  decision.comparison.metric = gate.metric;
  if (metric != nullptr) decision.comparison = outline(gate, *metric, {});
  decision.comparison.outcome = outcome;
  decision.comparison.reason = std::move(reason);
  return decision;
}

std::string first_reason(const CaptureVerdict& capture) {
  return capture.reasons.empty() ? "no reason was recorded" : capture.reasons.front();
}

/// Why times out of captures cannot be compared here; empty = they can.
std::string tracing_problem(const GateInput& input) {
  const auto beyond = [](double ratio) {
    return !std::isfinite(ratio) || ratio <= 0.0 ||
           std::abs(ratio - 1.0) > kTracedOverUntracedBound;
  };
  const auto text = [](const char* side, double ratio) {
    if (!(ratio > 0.0)) return std::string(side) + ": traced / untraced step time is not known";
    return std::string(side) + ": tracing changed the step by " + signed_percent(ratio - 1.0) +
           ", more than " + percent(kTracedOverUntracedBound);
  };
  if (beyond(input.traced_over_untraced)) return text("this run", input.traced_over_untraced);
  const double base = input.base_traced_over_untraced.value_or(0.0);
  if (beyond(base)) return text("the baseline", base);
  return {};
}

/// What stands in the way of comparing this metric with the store; an outcome and a sentence.
std::optional<MetricDecision> obstacle(const GateInput& input, const GateSpec& gate,
                                       const MetricValue& metric) {
  if (!input.choice.exists) {
    if (!input.choice.comparability.environment.empty()) {
      return undecided(gate, &metric, Outcome::not_comparable,
                       gate.metric + ": the store has runs of another environment only");
    }
    return undecided(gate, &metric, Outcome::no_baseline,
                     gate.metric + ": the store has no run of this workload to compare with");
  }
  if (!input.choice.comparability.environment.empty()) {
    return undecided(gate, &metric, Outcome::not_comparable,
                     gate.metric + ": the environment differs (" +
                         describe(input.choice.comparability.environment) + ")");
  }
  if (metric.kind != MetricKind::traced) return std::nullopt;
  if (const std::string problem = tracing_problem(input); !problem.empty()) {
    return undecided(gate, &metric, Outcome::inconclusive, gate.metric + ": " + problem);
  }
  return std::nullopt;
}

/// The control that moved by more than half the margin, in words; empty = none.
std::string moved_control(const GateInput& input, double margin_ratio) {
  for (const ControlReading& control : input.controls) {
    if (!input.bounding_control.empty() && control.name != input.bounding_control) continue;
    std::vector<ControlMovement> movements{movement_within(control)};
    const std::string id = std::string(kControlPrefix) + control.name;
    const auto history = std::ranges::find(input.baseline, id, &BaselineSeries::metric);
    if (history != input.baseline.end()) movements.push_back(movement_against(control, *history));
    for (std::size_t i = 0; i < movements.size(); ++i) {
      if (!(movements[i].low_ratio > margin_ratio / 2.0)) continue;
      return "the control " + control.name + " moved by " + signed_percent(movements[i].ratio) +
             (i == 0 ? " during the run" : " against the baseline") +
             ", more than half the margin of " + percent(margin_ratio);
    }
  }
  return {};
}

void merge(MetricDecision& all, MetricDecision next) {
  const std::array outcomes{all.comparison.outcome, next.comparison.outcome};
  const Outcome worst = worst_outcome(outcomes);
  const std::string reasons = all.comparison.reason + "; " + next.comparison.reason;
  // The row keeps the interval of the rule that has one.
  if (next.comparison.interval_known) std::swap(all, next);
  all.comparison.outcome = worst;
  all.comparison.reason = reasons;
}

MetricDecision judge_gate(const GateInput& input, const GateSpec& gate) {
  const MetricValue* metric = find_metric(input, gate.metric);
  const bool valid_capture = input.capture.validity == Validity::valid;
  if (metric == nullptr) {
    return undecided(
        gate, nullptr, Outcome::invalid,
        gate.metric + ": this run did not produce it" +
            (input.capture_expected && !valid_capture
                 ? " (the capture is " + std::string(to_string(input.capture.validity)) + ": " +
                       first_reason(input.capture) + ")"
                 : ""));
  }
  if (metric->kind != MetricKind::timed && !valid_capture) {
    return undecided(gate, metric, Outcome::invalid,
                     gate.metric + ": the capture is " +
                         std::string(to_string(input.capture.validity)) + " (" +
                         first_reason(input.capture) + "), and only valid ones are gated");
  }
  const BaselineSeries series = find_series(input, *metric);
  const auto& looks =
      metric->kind == MetricKind::timed ? input.spec.timing.processes : input.spec.trace.processes;
  const MetricCase metric_case{.gate = gate,
                               .head = *metric,
                               .base = series,
                               .head_instance = input.head_instance,
                               .look_level = pocock_level(static_cast<int>(looks.size())),
                               .last_look = looks.empty() ? 0 : looks.back()};
  std::optional<MetricDecision> decision;
  for (const GateRule& rule : gate_rules()) {
    if (!rule.applies(gate, metric->kind)) continue;
    std::optional<MetricDecision> found;
    if (rule.needs_baseline) found = obstacle(input, gate, *metric);
    if (!found) found = rule.judge(metric_case);
    if (decision) {
      merge(*decision, std::move(*found));
    } else {
      decision = std::move(found);
    }
  }
  if (!decision) {
    return undecided(gate, metric, Outcome::invalid,
                     gate.metric + ": no rule applies to this gate");
  }
  Comparison& out = decision->comparison;
  if (out.interval_known && metric->kind != MetricKind::counted) {
    const std::string moved = moved_control(input, out.margin_ratio);
    if (!moved.empty()) {
      decision->p_value.reset();
      out.outcome = Outcome::not_comparable;
      out.reason += "; " + moved;
    }
  }
  return *decision;
}

/// Suspects fail where the store alone is evidence enough.
void weigh_evidence(std::vector<MetricDecision>& decisions) {
  std::vector<double> p_values;
  for (const MetricDecision& decision : decisions) {
    if (decision.p_value) p_values.push_back(*decision.p_value);
  }
  const std::vector<bool> rejects = holm_rejects(p_values, kReportLevel);
  std::size_t next = 0;
  for (MetricDecision& decision : decisions) {
    const bool rejected = decision.p_value.has_value() && rejects[next++];
    Comparison& out = decision.comparison;
    if (out.outcome != Outcome::suspected) continue;
    if (!decision.restraint.empty()) {
      out.reason += "; suspected, not failed: " + decision.restraint;
    } else if (!rejected) {
      out.reason += "; suspected, not failed: the evidence does not reach 1 % over the " +
                    count_of(static_cast<int>(p_values.size()), "gated metric") + " of the report";
    } else {
      out.outcome = Outcome::fail;
      out.reason += "; " + count_of(out.n_base, "run") + " in the store, 1 % over the report";
    }
  }
}

}  // namespace

Outcome worst_outcome(std::span<const Outcome> outcomes) {
  for (const Outcome candidate : kWorstFirst) {
    if (std::ranges::find(outcomes, candidate) != outcomes.end()) return candidate;
  }
  return Outcome::invalid;
}

GateOutput judge(const GateInput& input) {
  std::vector<MetricDecision> decisions;
  for (const GateSpec& gate : input.spec.gates) {
    if (input.measurement_ok) {
      decisions.push_back(judge_gate(input, gate));
    } else {
      decisions.push_back(undecided(gate, find_metric(input, gate.metric), Outcome::invalid,
                                    gate.metric + ": the measurement cannot be used"));
    }
  }
  weigh_evidence(decisions);
  GateOutput output;
  output.verdict = form_verdict(input, decisions);
  for (MetricDecision& decision : decisions) {
    output.sensitivities.push_back({.metric = decision.comparison.metric,
                                    .kind = decision.comparison.kind,
                                    .process_part = decision.process_part});
    if (!decision.configuration_error.empty()) {
      output.configuration_errors.push_back(std::move(decision.configuration_error));
    }
    output.comparisons.push_back(std::move(decision.comparison));
  }
  return output;
}

}  // namespace perfgate::gates
