#include "gates/arms.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gates/comparability.h"
#include "gates/observe.h"
#include "gates/statistics.h"

namespace perfgate::gates {
namespace {

constexpr double kNoiseLevel = 0.01;  // as observe.cpp

/// The first arm whose capture is not valid; empty = both are.
std::string captures_problem(const PairsInput& input) {
  for (const auto& [arm, name] : {std::pair{&input.head, "the head"}, {&input.base, "the base"}}) {
    const CaptureVerdict& capture = arm->capture;
    if (capture.validity == Validity::valid) continue;
    return std::string("the capture of ") + name + " is " +
           std::string(to_string(capture.validity)) + " (" +
           (capture.reasons.empty() ? "no reason was recorded" : capture.reasons.front()) + ")";
  }
  return {};
}

/// `known`: of either arm, for kind and unit; nullptr where neither has it.
MetricDecision in_session(const GateSpec& gate, const MetricValue* head, const MetricValue* known,
                          Outcome outcome, const std::string& reason,
                          Unsettled unsettled = Unsettled::no) {
  MetricDecision decision = undecided(gate, known, outcome, gate.metric + ": " + reason, unsettled);
  Comparison& row = decision.comparison;
  row.against = Against::session;
  if (head == nullptr) {
    row.head = 0.0;
    row.n_head = 0;
  }
  return decision;
}

std::string named(const std::string& unit) { return unit.empty() ? "no unit" : "'" + unit + "'"; }

std::string tracing_problem_of(const PairsInput& input) {
  const std::string head = tracing_problem("the head", input.head.traced_over_untraced);
  return head.empty() ? tracing_problem("the base", input.base.traced_over_untraced) : head;
}

bool captures_compare(const PairsInput& input) {
  return captures_problem(input).empty() && tracing_problem_of(input).empty();
}

bool usable(const MetricValue& metric) {
  const auto finite = [](double value) { return std::isfinite(value); };
  return finite(metric.value) && std::ranges::all_of(metric.samples, finite);
}

/// A part that an arm lacks: zero in as many processes as the other one has.
MetricValue nothing_of(const MetricValue& other) {
  MetricValue none = other;
  none.value = 0.0;
  std::ranges::fill(none.samples, 0.0);
  return none;
}

void add(const MetricValue& base, const MetricValue& head, std::vector<Observation>& all) {
  if (base.unit != head.unit || base.kind != head.kind || !usable(base) || !usable(head)) return;
  Observation seen;
  seen.metric = head.id;
  seen.unit = head.unit;
  seen.base = base.value;
  seen.head = head.value;
  seen.n_base = static_cast<int>(base.samples.size());
  const std::size_t count = base.samples.size();
  if (count >= 2 && count == head.samples.size()) {
    std::vector<double> changes;
    for (std::size_t i = 0; i < count; ++i) changes.push_back(head.samples[i] - base.samples[i]);
    const double pairs = static_cast<double>(count);
    seen.noise =
        t_interval(0.0, sample_sd(changes) / std::sqrt(pairs), pairs - 1.0, kNoiseLevel).half_width;
  }
  all.push_back(std::move(seen));
}

}  // namespace

const MetricValue* find_in(const ArmView& arm, const std::string& id) {
  const auto found = std::ranges::find(arm.metrics, id, &MetricValue::id);
  return found == arm.metrics.end() ? nullptr : &*found;
}

std::optional<MetricDecision> arms_obstacle(const PairsInput& input, const GateSpec& gate) {
  const MetricValue* head = find_in(input.head, gate.metric);
  const MetricValue* base = find_in(input.base, gate.metric);
  if (head == nullptr && base == nullptr) {
    const std::string captures = captures_problem(input);
    return in_session(gate, nullptr, nullptr, Outcome::invalid,
                      "neither arm produced it" +
                          (input.capture_expected && !captures.empty() ? "; " + captures : ""));
  }
  const MetricValue* any = head != nullptr ? head : base;
  if (any->kind != MetricKind::timed) {
    if (const std::string captures = captures_problem(input); !captures.empty()) {
      return in_session(gate, head, any, Outcome::invalid,
                        captures + ", and only valid ones are gated");
    }
  }
  if (head == nullptr) {
    return in_session(gate, nullptr, base, Outcome::invalid,
                      "the base has it, and the head did not produce it");
  }
  if (base == nullptr) {
    return in_session(gate, head, head, Outcome::no_baseline,
                      "the base did not produce it, so there is nothing to compare with");
  }
  if (head->unit != base->unit || head->kind != base->kind) {
    return in_session(gate, head, head, Outcome::not_comparable,
                      "the head has it in " + named(head->unit) + ", the base in " +
                          named(base->unit) + ", and two units are not compared",
                      Unsettled::other_unit);
  }
  if (head->better != base->better && !gate.better) {
    const bool lower = head->better == Better::lower;
    return in_session(gate, head, head, Outcome::not_comparable,
                      std::string("the head says that ") + (lower ? "lower" : "higher") +
                          " is better, the base says " + (lower ? "higher" : "lower"),
                      Unsettled::other_direction);
  }
  if (head->kind != MetricKind::traced) return std::nullopt;
  if (const std::string problem = tracing_problem_of(input); !problem.empty()) {
    return in_session(gate, head, head, Outcome::inconclusive, problem, Unsettled::tracing);
  }
  return std::nullopt;
}

void withhold_if_arms_moved(const PairsInput& input, Comparison& row) {
  if (!is_withholdable(row)) return;
  if (!input.shared_gpu.empty()) {
    withhold(shared_with(input.shared_gpu), row);
    return;
  }
  const auto bound = [&](const char* said) {
    return MovementBound{row.margin_ratio, Unsettled::control_in_run, said};
  };
  const auto counts = [&](const ControlReading& control) {
    return input.bounding_control.empty() || control.name == input.bounding_control;
  };
  std::optional<MovedControl> moved;
  for (const ControlReading& head : input.head.controls) {
    if (moved || !counts(head)) continue;
    moved = beyond_half(bound("beside the head during the session"), movement_within(head));
    const auto base = std::ranges::find_if(input.base.controls, [&](const ControlReading& reading) {
      return reading.name == head.name && reading.unit == head.unit;
    });
    if (moved || base == input.base.controls.end()) continue;
    moved =
        beyond_half(bound("between the arms, from base to head"), movement_between(*base, head));
  }
  for (const ControlReading& base : input.base.controls) {
    if (moved || !counts(base)) continue;
    moved = beyond_half(bound("beside the base during the session"), movement_within(base));
  }
  if (moved) withhold(*moved, row);
}

std::vector<Observation> observe_pairs(const PairsInput& input) {
  std::vector<Observation> all;
  if (!input.measurement_ok) return all;
  const bool traces = captures_compare(input);
  const auto skip = [&](const MetricValue& metric) {
    return is_gated(input.spec, metric.id) || (metric.kind != MetricKind::timed && !traces);
  };
  for (const MetricValue& head : input.head.metrics) {
    if (skip(head)) continue;
    const MetricValue* base = find_in(input.base, head.id);
    if (base != nullptr) {
      add(*base, head, all);
    } else if (!part_prefix(head.id).empty()) {
      add(nothing_of(head), head, all);
    }
  }
  for (const MetricValue& base : input.base.metrics) {
    if (skip(base) || part_prefix(base.id).empty() || find_in(input.head, base.id)) continue;
    add(base, nothing_of(base), all);
  }
  return all;
}

}  // namespace perfgate::gates
