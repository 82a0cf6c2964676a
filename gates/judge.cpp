#include "gates/judge.h"

#include <algorithm>
#include <cmath>

#include "gates/comparability.h"
#include "gates/gate_catalog.h"
#include "gates/lone_run.h"
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

/// For a metric of which the store has nothing.
BaselineSeries empty_series(const MetricValue& metric) {
  BaselineSeries none;
  none.metric = metric.id;
  none.kind = metric.kind;
  none.unit = metric.unit;
  return none;
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
  if (const std::string turned = other_direction(input, metric); !turned.empty() && !gate.better) {
    return undecided(gate, &metric, Outcome::not_comparable,
                     gate.metric + ": " + turned +
                         "; a program that turns the direction round could make a regression an "
                         "improvement",
                     Unsettled::other_direction);
  }
  if (metric.kind != MetricKind::traced) return std::nullopt;
  if (const std::string problem = tracing_problem(input); !problem.empty()) {
    return undecided(gate, &metric, Outcome::inconclusive, gate.metric + ": " + problem,
                     Unsettled::tracing);
  }
  return std::nullopt;
}

std::optional<MovedControl> moved_control(const GateInput& input, double margin_ratio) {
  for (const ControlReading& control : input.controls) {
    if (!input.bounding_control.empty() && control.name != input.bounding_control) continue;
    if (auto found = beyond_half({margin_ratio, Unsettled::control_in_run, "during the run"},
                                 movement_within(control)))
      return found;
    const BaselineSeries* history = find_control(input, control);
    if (history == nullptr) continue;
    if (auto found = beyond_half({margin_ratio, Unsettled::control_since, "against the baseline"},
                                 movement_against(control, *history)))
      return found;
  }
  return std::nullopt;
}

void withhold_if_disturbed(const GateInput& input, Comparison& row) {
  if (!is_withholdable(row)) return;
  if (!input.shared_gpu.empty()) {
    withhold(shared_with(input.shared_gpu), row);
    return;
  }
  if (const auto moved = moved_control(input, row.margin_ratio)) withhold(*moved, row);
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
  if (metric->kind != MetricKind::timed && is_spoilt_by_sharing(input.shared_gpu, input.capture)) {
    return undecided(gate, metric, Outcome::not_comparable,
                     gate.metric + ": " + input.shared_gpu + "; " + capture, Unsettled::shared_gpu);
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
          .evidence_level = report_level_of_look(input.spec) / gates,
          .last_look = looks.empty() ? 0 : looks.back(),
          .base_at_hand = input.base_at_hand,
          .is_recording = input.is_recording};
}

MetricDecision judge_gate(const GateInput& input, const GateSpec& gate) {
  const MetricValue* metric = find_metric(input, gate.metric);
  if (auto found = unusable(input, gate, metric)) return *std::move(found);
  const BaselineSeries none = empty_series(*metric);
  const BaselineSeries* series = find_series(input, gate, *metric);
  const MetricCase metric_case = case_of(input, gate, *metric, series != nullptr ? *series : none);
  std::optional<MetricDecision> decision;
  for (const GateRule& rule : gate_rules()) {
    if (!rule.applies(gate, metric->kind)) continue;
    std::optional<MetricDecision> found;
    if (rule.needs_baseline) found = obstacle(input, gate, *metric);
    if (!found) found = rule.judge(metric_case);
    if (rule.needs_baseline) {
      withhold_if_disturbed(input, found->comparison);
      note_compared(found->comparison, found->comparison.outcome);
    }
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
void weigh_evidence(std::vector<MetricDecision>& decisions, double level) {
  std::vector<double> p_values;
  for (const MetricDecision& decision : decisions) {
    if (decision.comparison.p_value) p_values.push_back(*decision.comparison.p_value);
  }
  const std::vector<bool> rejects = holm_rejects(p_values, level);
  std::size_t next = 0;
  const StoreTail tail = store_tail(decisions);
  for (MetricDecision& decision : decisions) {
    Comparison& out = decision.comparison;
    const bool rejected = out.p_value.has_value() && rejects[next++];
    promise_less(decision, tail);
    if (out.outcome != Outcome::suspected) continue;
    if (!decision.restraint.empty()) {
      out.reason += "; suspected, not failed: " + decision.restraint;
    } else if (!rejected) {
      out.reason += "; suspected, not failed: the evidence does not reach 1 % over the " +
                    count_of(static_cast<int>(p_values.size()), "gated metric") + " of the report";
    } else if (!stands_out(decision, tail)) {
      suspect_lone_run(decision, tail);
    } else {
      out.outcome = Outcome::fail;
      note_compared(out, out.outcome);
      settle(out);
      out.reason += "; " + count_of(out.n_base, "run") +
                    (out.other_gpu_runs > 0 ? " on this GPU" : "") +
                    " in the store are evidence enough: chance alone fails fewer than 1 report in "
                    "100";
    }
  }
}

}  // namespace

double report_level_of_look(const WorkloadSpec& spec) {
  const std::size_t looks = std::max(spec.timing.processes.size(), spec.trace.processes.size());
  return kReportLevel * pocock_level(static_cast<int>(looks)) / pocock_level(1);
}

Outcome worst_outcome(std::span<const Outcome> outcomes) {
  for (const Outcome candidate : kWorstFirst) {
    if (std::ranges::find(outcomes, candidate) != outcomes.end()) return candidate;
  }
  return Outcome::invalid;
}

GateOutput output_of(std::vector<MetricDecision> decisions) {
  GateOutput output;
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
  weigh_evidence(decisions, report_level_of_look(input.spec));
  if (input.measurement_ok) apply_work(input.work, decisions);
  const VerdictFacts facts{
      .measurement_ok = input.measurement_ok,
      .measurement_problem = input.measurement_problem,
      .capture_expected = input.capture_expected,
      .capture = input.capture,
      .environment = input.choice.comparability.environment,
      .subject = input.choice.comparability.subject,
      .other_instance = input.choice.exists && !input.choice.comparability.same_instance,
      .shared_gpu = input.shared_gpu,
      .work = work_notes(input.work)};
  Verdict verdict = form_verdict(facts, decisions);
  GateOutput output = output_of(std::move(decisions));
  output.verdict = std::move(verdict);
  output.observed = observe(input);
  return output;
}

}  // namespace perfgate::gates
