/// Gates, metrics and series for the tests of this folder.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gates/decision.h"
#include "gates/judge.h"
#include "gates/statistics.h"

namespace perfgate::gates {

inline GateSpec gate_of(const std::string& metric) {
  GateSpec gate;
  gate.metric = metric;
  return gate;
}

inline GateSpec gate_of(const std::string& metric, double margin, double tolerance) {
  GateSpec gate = gate_of(metric);
  gate.margin_ratio = margin;
  gate.tolerance_ratio = tolerance;
  return gate;
}

inline MetricValue metric_of(const std::string& id, const std::vector<double>& samples,
                             MetricKind kind = MetricKind::timed, const std::string& unit = "ms") {
  MetricValue metric;
  metric.id = id;
  metric.kind = kind;
  metric.unit = unit;
  metric.samples = samples;
  metric.value = samples.empty() ? 0.0 : median(samples);
  return metric;
}

/// One run of one process per value; all on GPU-1.
inline BaselineSeries series_of(const std::string& id, const std::vector<double>& values,
                                MetricKind kind = MetricKind::timed,
                                const std::string& unit = "ms") {
  BaselineSeries series;
  series.metric = id;
  series.kind = kind;
  series.unit = unit;
  for (const double value : values) {
    BaselinePoint point;
    point.run = static_cast<std::int64_t>(series.points.size()) + 1;
    point.commit = "commit" + std::to_string(point.run);
    point.instance = "GPU-1";
    point.samples = {value};
    point.value = value;
    series.points.push_back(point);
  }
  return series;
}

/// Ten runs at 4.27 ms, SD 0.05 %, symmetric on the log scale: the mean log is log(4.27) exactly.
inline std::vector<double> quiet_runs(double level = 4.27, double sd = 0.0005, int runs = 10) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(runs));
  const double scale = sd * std::sqrt(static_cast<double>(runs - 1) / static_cast<double>(runs));
  for (int i = 0; i < runs; ++i) values.push_back(level * std::exp(i % 2 == 0 ? scale : -scale));
  return values;
}

inline MetricCase case_of(const GateSpec& gate, const MetricValue& head,
                          const BaselineSeries& base) {
  return {.gate = gate,
          .head = head,
          .base = base,
          .head_instance = "GPU-1",
          .look_level = 0.05,
          .last_look = 12};
}

/// A whole report with a good baseline and a valid capture. Owns what the input views.
struct Report {
  WorkloadSpec spec;
  std::vector<MetricValue> metrics;
  std::vector<BaselineSeries> baseline;
  std::vector<ControlReading> controls;
  BaselineChoice choice;
  CaptureVerdict capture{.validity = Validity::valid, .reasons = {}};
  double traced_over_untraced = 1.01;

  Report() {
    choice.exists = true;
    choice.commit = "commit10";
    choice.how = "store: 10 runs";
  }
  Report& add(const GateSpec& gate, const MetricValue& metric, const BaselineSeries& series) {
    spec.gates.push_back(gate);
    metrics.push_back(metric);
    baseline.push_back(series);
    return *this;
  }
  [[nodiscard]] GateInput input() const {
    return {.spec = spec,
            .metrics = metrics,
            .baseline = baseline,
            .choice = choice,
            .capture = capture,
            .traced_over_untraced = traced_over_untraced,
            .base_traced_over_untraced = 1.01,
            .controls = controls,
            .head_instance = "GPU-1"};
  }
  [[nodiscard]] GateOutput judged() const { return judge(input()); }
};

}  // namespace perfgate::gates
