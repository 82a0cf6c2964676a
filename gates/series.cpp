#include "gates/series.h"

#include <algorithm>

namespace perfgate::gates {
namespace {

bool is_of(const BaselineSeries& series, const MetricValue& metric) {
  return series.metric == metric.id && series.kind == metric.kind && series.unit == metric.unit;
}

std::string named(const std::string& unit) { return unit.empty() ? "no unit" : "'" + unit + "'"; }

}  // namespace

const BaselineSeries* find_series(const GateInput& input, const MetricValue& metric) {
  const auto found = std::ranges::find_if(input.baseline, [&](const BaselineSeries& series) {
    return is_of(series, metric) && series.better.value_or(metric.better) == metric.better;
  });
  return found == input.baseline.end() ? nullptr : &*found;
}

const BaselineSeries* find_series(const GateInput& input, const GateSpec& gate,
                                  const MetricValue& metric) {
  const BaselineSeries* own = find_series(input, metric);
  if (own != nullptr || !gate.better) return own;
  const auto any = std::ranges::find_if(
      input.baseline, [&](const BaselineSeries& series) { return is_of(series, metric); });
  return any == input.baseline.end() ? nullptr : &*any;
}

std::string other_direction(const GateInput& input, const MetricValue& metric) {
  if (find_series(input, metric) != nullptr) return {};
  const bool turned = std::ranges::any_of(
      input.baseline, [&](const BaselineSeries& series) { return is_of(series, metric); });
  if (!turned) return {};
  const bool lower = metric.better == Better::lower;
  return std::string("this run says that ") + (lower ? "lower" : "higher") +
         " is better, the store's runs said " + (lower ? "higher" : "lower");
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
