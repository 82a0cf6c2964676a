#include "gates/comparability.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gates/decision.h"
#include "gates/statistics.h"
#include "gates/store_level.h"
#include "gates/wording.h"

namespace perfgate::gates {
namespace {

constexpr double kMovementLevel = 0.01;
constexpr std::size_t kLeastReadings = 4;

std::vector<double> usable_logs(std::span<const double> readings) {
  std::vector<double> logs;
  for (const double reading : readings) {
    if (std::isfinite(reading) && reading > 0.0) logs.push_back(std::log(reading));
  }
  return logs;
}

ControlMovement movement_of(const std::string& name, const Interval& interval) {
  const double least = std::max(0.0, std::abs(interval.estimate) - interval.half_width);
  return {.name = name, .ratio = std::expm1(interval.estimate), .low_ratio = std::expm1(least)};
}

}  // namespace

std::string describe(std::span<const FingerprintDifference> rows) {
  std::string text;
  bool told = false;
  for (const FingerprintDifference& row : rows) {
    const bool file = is_workload_digest(row.key);
    if (file && told) continue;
    if (!text.empty()) text += "; ";
    if (file) {
      text += "the workload file says now to run or to measure something else";
      told = true;
      continue;
    }
    text += row.key + " " + row.base + " -> " + row.head;
  }
  return text;
}

ControlMovement movement_within(const ControlReading& control) {
  const std::vector<double> logs = usable_logs(control.readings);
  if (logs.size() < kLeastReadings) return {.name = control.name};
  const std::span<const double> all(logs);
  const std::size_t half = logs.size() / 2;
  return movement_of(control.name, welch_interval(all.first(half), all.last(half), kMovementLevel));
}

ControlMovement movement_against(const ControlReading& control, const BaselineSeries& history) {
  const std::vector<double> logs = usable_logs(control.readings);
  std::vector<double> levels;
  levels.reserve(history.points.size());
  for (const BaselinePoint& point : history.points) levels.push_back(point.value);
  levels = usable_logs(levels);
  if (logs.empty() || levels.size() < 2) return {.name = control.name};
  const double runs = static_cast<double>(levels.size());
  const double error = sample_sd(levels) * std::sqrt(1.0 + 1.0 / runs);
  return movement_of(control.name,
                     t_interval(median(logs) - mean(levels), error, runs - 1.0, kMovementLevel));
}

ControlMovement movement_between(const ControlReading& base, const ControlReading& head) {
  const std::vector<double> before = usable_logs(base.readings);
  const std::vector<double> after = usable_logs(head.readings);
  if (before.size() < 2 || after.size() < 2) return {.name = head.name};
  return movement_of(head.name, welch_interval(before, after, kMovementLevel));
}

std::optional<MovedControl> beyond_half(const MovementBound& bound,
                                        const ControlMovement& movement) {
  if (!(movement.low_ratio > bound.margin_ratio / 2.0)) return std::nullopt;
  return MovedControl{bound.when, "the control " + movement.name + " moved by " +
                                      signed_percent(movement.ratio) + " " +
                                      std::string(bound.said) + ", more than half the margin of " +
                                      percent(bound.margin_ratio)};
}

MovedControl shared_with(std::string_view who) { return {Unsettled::shared_gpu, std::string(who)}; }

bool is_withholdable(const Comparison& row) {
  return row.p_value.has_value() && row.kind != MetricKind::counted;
}

void withhold(const MovedControl& moved, Comparison& row) {
  row.p_value.reset();
  settle(row);
  row.unsettled = moved.when;
  row.outcome = Outcome::not_comparable;
  row.reason += "; " + moved.text;
}

}  // namespace perfgate::gates
