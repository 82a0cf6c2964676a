#include "gates/judge.h"

#include <algorithm>
#include <cmath>

#include "gates/comparability.h"
#include "gates/gate_catalog.h"
#include "gates/observe.h"
#include "gates/series.h"
#include "gates/statistics.h"
#include "gates/store_level.h"
#include "gates/verdict.h"
#include "gates/wording.h"

namespace perfgate::gates {
namespace {

const MetricValue* find_metric(const GateInput& input, const std::string& id) {
  const auto found = std::ranges::find(input.metrics, id, &MetricValue::id);
  return found == input.metrics.end() ? nullptr : &*found;
}

/// An empty series of the right name where the store has none.
BaselineSeries series_of(const GateInput& input, const MetricValue& metric) {
  if (const BaselineSeries* found = find_series(input, metric)) return *found;
  BaselineSeries none;
  none.metric = metric.id;
  none.kind = metric.kind;
  none.unit = metric.unit;
  return none;
}

MetricDecision undecided(const GateSpec& gate, const MetricValue* metric, Outcome outcome,
                         std::string reason, Unsettled unsettled = Unsettled::no,
                         int runs_to_settle = 0) {
  MetricDecision decision;
  decision.comparison.metric = gate.metric;
  if (metric != nullptr) decision.comparison = outline(gate, *metric, {});
  decision.comparison.outcome = outcome;
  decision.comparison.reason = std::move(reason);
  decision.comparison.unsettled = unsettled;
  decision.comparison.runs_to_settle = runs_to_settle;
  return decision;
}

std::string first_reason(const CaptureVerdict& capture) {
  return capture.reasons.empty() ? "no reason was recorded" : capture.reasons.front();
}

/// What stands in the way of comparing this metric with the store; an outcome and a sentence.
std::optional<MetricDecision> obstacle(const GateInput& input, const GateSpec& gate,
                                       const MetricValue& metric) {
  if (!input.choice.exists) {
    if (!input.choice.comparability.environment.empty()) {
      const bool other_file = std::ranges::all_of(input.choice.comparability.environment,
                                                  is_workload_digest, &FingerprintDifference::key);
      return undecided(gate, &metric, Outcome::not_comparable,
                       gate.metric + ": the store has runs of another " +
                           (other_file ? "version of the workload file only" : "environment only"));
    }
    if (input.choice.no_ancestor) {
      return undecided(gate, &metric, Outcome::no_baseline,
                       gate.metric +
                           ": the branch has runs of this workload, but none of an ancestor of "
                           "this commit; merge the branch or rebase onto it",
                       Unsettled::no_ancestor);
    }
    return undecided(gate, &metric, Outcome::no_baseline,
                     gate.metric + ": the store has no run of this workload to compare with",
                     Unsettled::few_runs, metric.kind == MetricKind::counted ? 1 : kRunsToFail);
  }
  if (!input.choice.comparability.environment.empty()) {
    return undecided(gate, &metric, Outcome::not_comparable,
                     gate.metric + ": the environment differs (" +
                         describe(input.choice.comparability.environment) + ")");
  }
  if (const std::string units = other_unit(input, metric); !units.empty()) {
    return undecided(gate, &metric, Outcome::not_comparable,
                     gate.metric + ": " + units + ", and two units are not compared",
                     Unsettled::other_unit);
  }
  if (metric.kind != MetricKind::traced) return std::nullopt;
  if (const std::string problem = tracing_problem(input); !problem.empty()) {
    return undecided(gate, &metric, Outcome::inconclusive, gate.metric + ": " + problem,
                     Unsettled::tracing);
  }
  return std::nullopt;
}

/// A control that moved by more than half the margin.
struct MovedControl {
  Unsettled when = Unsettled::control_in_run;  ///< or control_since
  std::string text{};
};

std::optional<MovedControl> moved_control(const GateInput& input, double margin_ratio) {
  const auto moved = [&](const ControlMovement& movement, Unsettled when,
                         const char* said) -> std::optional<MovedControl> {
    if (!(movement.low_ratio > margin_ratio / 2.0)) return std::nullopt;
    return MovedControl{when, "the control " + movement.name + " moved by " +
                                  signed_percent(movement.ratio) + said +
                                  ", more than half the margin of " + percent(margin_ratio)};
  };
  for (const ControlReading& control : input.controls) {
    if (!input.bounding_control.empty() && control.name != input.bounding_control) continue;
    if (auto found = moved(movement_within(control), Unsettled::control_in_run, " during the run"))
      return found;
    const BaselineSeries* history = find_control(input, control);
    if (history == nullptr) continue;
    if (auto found = moved(movement_against(control, *history), Unsettled::control_since,
                           " against the baseline"))
      return found;
  }
  return std::nullopt;
}

void settle(Comparison& row) {
  row.unsettled = Unsettled::no;
  row.processes_to_settle = row.runs_to_settle = 0;
}

/// A comparison is void where the control moved: neither a pass nor a suspect can rest on it.
void withhold_if_control_moved(const GateInput& input, MetricDecision& decision) {
  Comparison& out = decision.comparison;
  // Without a p value nothing was compared; a level of zero has one, though no interval in ratios.
  if (!decision.p_value || out.kind == MetricKind::counted) return;
  const auto moved = moved_control(input, out.margin_ratio);
  if (!moved) return;
  decision.p_value.reset();
  settle(out);
  out.unsettled = moved->when;
  out.outcome = Outcome::not_comparable;
  out.reason += "; " + moved->text;
}

void merge(MetricDecision& all, MetricDecision next) {
  const std::array outcomes{all.comparison.outcome, next.comparison.outcome};
  const Outcome worst = worst_outcome(outcomes);
  const std::string reasons = all.comparison.reason + "; " + next.comparison.reason;
  // The row keeps the figures of the rule that compared, or that says what it would take.
  if (next.comparison.interval_known || next.p_value || next.comparison.unsettled != Unsettled::no)
    std::swap(all, next);
  all.comparison.outcome = worst;
  all.comparison.reason = reasons;
  if (worst == Outcome::fail) settle(all.comparison);
}

/// Why this run's value cannot be judged at all; empty = it can.
std::optional<MetricDecision> unusable(const GateInput& input, const GateSpec& gate,
                                       const MetricValue* metric) {
  const bool valid_capture = input.capture.validity == Validity::valid;
  const std::string capture = "the capture is " + std::string(to_string(input.capture.validity));
  if (metric == nullptr) {
    return undecided(gate, nullptr, Outcome::invalid,
                     gate.metric + ": this run did not produce it" +
                         (input.capture_expected && !valid_capture
                              ? " (" + capture + ": " + first_reason(input.capture) + ")"
                              : ""));
  }
  if (metric->kind != MetricKind::timed && !valid_capture) {
    return undecided(gate, metric, Outcome::invalid,
                     gate.metric + ": " + capture + " (" + first_reason(input.capture) +
                         "), and only valid ones are gated");
  }
  return std::nullopt;
}

MetricCase case_of(const GateInput& input, const GateSpec& gate, const MetricValue& metric,
                   const BaselineSeries& series) {
  const auto& looks =
      metric.kind == MetricKind::timed ? input.spec.timing.processes : input.spec.trace.processes;
  const auto gates = static_cast<double>(input.spec.gates.size());
  return {.gate = gate,
          .head = metric,
          .base = series,
          .head_instance = input.head_instance,
          .look_level = pocock_level(static_cast<int>(looks.size())),
          .evidence_level = kReportLevel / gates,
          .last_look = looks.empty() ? 0 : looks.back()};
}

MetricDecision judge_gate(const GateInput& input, const GateSpec& gate) {
  const MetricValue* metric = find_metric(input, gate.metric);
  if (auto found = unusable(input, gate, metric)) return *std::move(found);
  const BaselineSeries series = series_of(input, *metric);
  const MetricCase metric_case = case_of(input, gate, *metric, series);
  std::optional<MetricDecision> decision;
  for (const GateRule& rule : gate_rules()) {
    if (!rule.applies(gate, metric->kind)) continue;
    std::optional<MetricDecision> found;
    if (rule.needs_baseline) found = obstacle(input, gate, *metric);
    if (!found) found = rule.judge(metric_case);
    if (rule.needs_baseline) withhold_if_control_moved(input, *found);
    if (decision) {
      merge(*decision, *std::move(found));
    } else {
      decision = std::move(found);
    }
  }
  if (decision) return *std::move(decision);
  return undecided(gate, metric, Outcome::invalid, gate.metric + ": no rule applies to this gate");
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
      settle(out);
      out.reason += "; " + count_of(out.n_base, "run") +
                    " in the store are evidence enough: chance alone fails fewer than 1 report in "
                    "100";
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
  output.observed = observe(input);
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
