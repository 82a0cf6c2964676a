#include "gates/series.h"

#include <algorithm>

namespace perfgate::gates {
namespace {

std::string named(const std::string& unit) { return unit.empty() ? "no unit" : "'" + unit + "'"; }

}  // namespace

const BaselineSeries* find_series(const GateInput& input, const MetricValue& metric) {
  const auto found = std::ranges::find_if(input.baseline, [&](const BaselineSeries& series) {
    return series.metric == metric.id && series.kind == metric.kind && series.unit == metric.unit;
  });
  return found == input.baseline.end() ? nullptr : &*found;
}

std::string other_unit(const GateInput& input, const MetricValue& metric) {
  if (const BaselineSeries* series = find_series(input, metric); series && !series->points.empty())
    return {};
  const auto found = std::ranges::find_if(input.baseline, [&](const BaselineSeries& series) {
    return series.metric == metric.id && series.kind == metric.kind && series.unit != metric.unit &&
           !series.points.empty();
  });
  if (found == input.baseline.end()) return {};
  return "this run has it in " + named(metric.unit) + ", the store in " + named(found->unit);
}

const BaselineSeries* find_control(const GateInput& input, const ControlReading& control) {
  const std::string id = std::string(kControlPrefix) + control.name;
  const auto found = std::ranges::find_if(input.baseline, [&](const BaselineSeries& series) {
    return series.metric == id && series.unit == control.unit;
  });
  return found == input.baseline.end() ? nullptr : &*found;
}

}  // namespace perfgate::gates
