#include "tests/bench/gate_errors/store_gate.h"

#include <array>
#include <cmath>
#include <string>

#include "runner/model/median.h"

namespace perfgate::bench {
namespace {

using testing::NoiseChain;
using testing::NoiseShape;
using testing::Random;

constexpr double kLevelMs = 4.27;
constexpr double kControlLevel = 4.7e12;
constexpr std::array kControls{"read_stream", "bf16_gemm"};
constexpr const char* kInstance = "GPU-1";

BaselineSeries empty_series(const std::string& id, const std::string& unit, std::size_t runs) {
  BaselineSeries series;
  series.metric = id;
  series.unit = unit;
  series.points.resize(runs);
  for (std::size_t run = 0; run < runs; ++run) {
    series.points[run].run = static_cast<std::int64_t>(run) + 1;
    series.points[run].instance = kInstance;
  }
  return series;
}

}  // namespace

WorkloadSpec spec_of(Margins margins) {
  WorkloadSpec spec;
  for (std::size_t i = 0; i < kMetrics; ++i) {
    GateSpec gate;
    gate.metric = "m" + std::to_string(i);
    if (margins == Margins::declared) {
      gate.margin_ratio = 0.01;
      gate.tolerance_ratio = 0.03;
    }
    spec.gates.push_back(std::move(gate));
  }
  return spec;
}

StoreReport::StoreReport(std::size_t runs, Margins margins) : runs_(runs), spec_(spec_of(margins)) {
  for (const GateSpec& gate : spec_.gates) {
    MetricValue metric;
    metric.id = gate.metric;
    metric.unit = "ms";
    baseline_.push_back(empty_series(gate.metric, "ms", runs));
    metrics_.push_back(std::move(metric));
  }
  for (const char* name : kControls) {
    controls_.push_back({.name = name, .unit = "1/s", .readings = {}});
    baseline_.push_back(empty_series(std::string(kControlPrefix) + name, "1/s", runs));
  }
  head_.resize(kMetrics);
  head_controls_.resize(kControls.size());
}

void StoreReport::fill(const Timeline& timeline, std::size_t head, const Setting& setting,
                       Random& random) {
  const std::size_t oldest = head - runs_;
  for (std::size_t metric = 0; metric < kMetrics; ++metric) {
    for (std::size_t run = 0; run < runs_; ++run) {
      BaselinePoint& point = baseline_[metric].points[run];
      point.samples.clear();
      for (std::size_t i = 0; i < kRunProcesses; ++i) {
        point.samples.push_back(kLevelMs * std::exp(timeline.at(metric, oldest + run, i)));
      }
      point.value = median(point.samples);
    }
    head_[metric].clear();
    for (std::size_t i = 0; i < timeline.processes(head); ++i) {
      head_[metric].push_back(kLevelMs * std::exp(timeline.at(metric, head, i)));
    }
  }
  const NoiseShape shape = setting.shape == NoiseShape::drift ? NoiseShape::normal : setting.shape;
  for (std::size_t control = 0; control < kControls.size(); ++control) {
    NoiseChain chain(shape, kControlCv, random);
    NoiseChain runs(shape, setting.run_ratio * kControlCv, random);
    const auto session = [&](std::size_t processes) {
      const double run = runs.next(random);
      std::vector<double> readings;
      // Times on the log scale; a control is a rate.
      for (std::size_t i = 0; i < 2 * processes; ++i) {
        readings.push_back(kControlLevel * std::exp(-run - chain.next(random)));
      }
      return readings;
    };
    for (BaselinePoint& point : baseline_[kMetrics + control].points) {
      point.value = median(session(kRunProcesses));
    }
    head_controls_[control] = session(timeline.processes(head));
  }
}

void StoreReport::take_processes(int count, double change) {
  const auto processes = static_cast<std::ptrdiff_t>(count);
  for (std::size_t i = 0; i < kMetrics; ++i) {
    MetricValue& metric = metrics_[i];
    metric.samples.assign(head_[i].begin(), head_[i].begin() + processes);
    if (i == 0) {
      for (double& sample : metric.samples) sample *= 1.0 + change;
    }
    metric.value = median(metric.samples);
  }
  for (std::size_t i = 0; i < controls_.size(); ++i) {
    controls_[i].readings.assign(head_controls_[i].begin(),
                                 head_controls_[i].begin() + 2 * processes);
  }
}

Judged StoreReport::judge(double change) {
  BaselineChoice choice;
  choice.exists = true;
  choice.commit = "base";
  return judge_against_store(spec_, [&](std::size_t count) {
    take_processes(static_cast<int>(count), change);
    return gates::GateInput{.spec = spec_,
                            .metrics = metrics_,
                            .baseline = baseline_,
                            .choice = choice,
                            .capture = {.validity = Validity::valid, .reasons = {}},
                            .traced_over_untraced = 1.0,
                            .base_traced_over_untraced = 1.0,
                            .controls = controls_,
                            .head_instance = kInstance};
  });
}

}  // namespace perfgate::bench
