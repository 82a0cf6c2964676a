#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "gates/trend_runs.h"

namespace perfgate::gates {
namespace {

/// Counts: each value that differs from the one before is a step.
void count_changes(const TrendInput& input, const ServingRuns& runs,
                   const std::optional<Anchor>& anchor, TrendMetric& metric) {
  std::vector<ChangePoint> steps;
  const auto& values = metric.values;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] != values[i - 1])
      steps.push_back({.at = i, .before = values[i - 1], .after = values[i], .p_value = 0.0});
  }
  metric.changes = changes_of(steps, Scale::linear, input, runs, anchor);
}

}  // namespace

TrendMetric outline_trend(const TrendInput& input) {
  TrendMetric metric{.metric = input.gate.metric,
                     .kind = input.kind,
                     .unit = input.history.unit,
                     .better = input.better};
  return metric;
}

TrendMetric count_metric(const TrendInput& input) {
  TrendMetric metric = outline_trend(input);
  ServingRuns runs{.series = input.history, .gpus = 1, .several = true};
  for (std::size_t i = 0; i < input.history.points.size(); ++i) {
    runs.place.push_back(i);
    metric.values.push_back(input.history.points[i].value);
  }
  if (metric.values.empty()) return metric;
  const auto& points = input.history.points;
  metric.level = metric.values.back();
  metric.level_runs = 1;
  const Accepted accepted = accepted_of(input, runs);
  count_changes(input, runs, accepted.anchor, metric);
  const double direction = input.better == Better::lower ? 1.0 : -1.0;
  const double slack = input.gate.slack.value_or(0.0);
  if (!accepted.anchor) {
    metric.state = TrendState::not_accepted;
    const auto worse = [&](const TrendChange& change) {
      return change.worse && change.accepted.empty() &&
             direction * (metric.values.back() - change.before) > slack;
    };
    const auto step = std::find_if(metric.changes.rbegin(), metric.changes.rend(), worse);
    if (step == metric.changes.rend()) return metric;
    metric.state = TrendState::stepped;
    metric.before = step->last;
    metric.since = step->first;
    return metric;
  }
  metric.accepted = accepted.anchor->accepted;
  if (!metric.accepted->pinned) metric.accepted->value = metric.values[accepted.anchor->at];
  const double base = metric.accepted->value;
  if (base > 0.0) metric.change_ratio = metric.values.back() / base - 1.0;
  const auto beyond = [&](double value) { return direction * (value - base) > slack; };
  metric.state = TrendState::steady;
  if (!beyond(metric.values.back())) return metric;
  metric.state = TrendState::breach;
  std::size_t since = points.size() - 1;
  while (since > 0 && beyond(metric.values[since - 1])) --since;
  metric.since = run_of(points[since]);
  metric.before = since > 0 ? run_of(points[since - 1]) : metric.accepted->at;
  return metric;
}

}  // namespace perfgate::gates
