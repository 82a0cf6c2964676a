/// Gates, metrics and series for the tests of this folder.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gates/decision.h"
#include "gates/judge.h"
#include "gates/pairs.h"
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

/// `count` values about `level` on the log scale with SD `cv` or so: 1 1 -1 -1 ... in pairs of
/// signs, or 1 -1 1 -1 ... for the other arm, so that the pairs differ by -2, 0, 0 and 2 such
/// steps. Without a mean for multiples of four.
inline std::vector<double> wobbling(double level, double cv, int count, bool other = false) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const bool up = other ? i % 2 == 0 : i / 2 % 2 == 0;
    values.push_back(level * std::exp(up ? cv : -cv));
  }
  return values;
}

/// Two arms of one stage with good captures. Owns what the input views.
struct Session {
  WorkloadSpec spec;
  std::vector<MetricValue> base;
  std::vector<MetricValue> head;
  std::vector<BaselineSeries> history;
  std::vector<ControlReading> base_controls;
  std::vector<ControlReading> head_controls;
  CaptureVerdict base_capture{.validity = Validity::valid, .reasons = {}};
  CaptureVerdict head_capture{.validity = Validity::valid, .reasons = {}};
  double base_traced_over_untraced = 1.01;

  Session() {
    spec.timing.processes = {5, 8, 12};
    spec.trace.processes = {3, 5};
  }
  Session& add(const GateSpec& gate, const MetricValue& of_base, const MetricValue& of_head) {
    spec.gates.push_back(gate);
    base.push_back(of_base);
    head.push_back(of_head);
    return *this;
  }
  [[nodiscard]] PairsInput input() const {
    return {.spec = spec,
            .base = {.metrics = base,
                     .capture = base_capture,
                     .traced_over_untraced = base_traced_over_untraced,
                     .controls = base_controls},
            .head = {.metrics = head,
                     .capture = head_capture,
                     .traced_over_untraced = 1.01,
                     .controls = head_controls},
            .history = history,
            .head_instance = "GPU-1"};
  }
  [[nodiscard]] GateOutput screened() const { return screen_pairs(input()); }
  [[nodiscard]] GateOutput confirms(const GateOutput& screen) const {
    return confirm_pairs(screen, input());
  }
};

/// One gate whose head is `ratio` times its base, at a CV of `cv`.
inline Session session_of(double ratio, int pairs, double cv = 0.01,
                          const GateSpec& gate = gate_of("step_time_p50", 0.01, 0.03)) {
  Session session;
  session.add(gate, metric_of(gate.metric, wobbling(4.27, cv, pairs)),
              metric_of(gate.metric, wobbling(4.27 * ratio, cv, pairs, true)));
  return session;
}

}  // namespace perfgate::gates
