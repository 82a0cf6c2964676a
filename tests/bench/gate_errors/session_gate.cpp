#include "tests/bench/gate_errors/session_gate.h"

#include <array>
#include <cmath>

#include "runner/model/median.h"

namespace perfgate::bench {
namespace {

using testing::NoiseChain;
using testing::NoiseShape;
using testing::Random;

constexpr double kLevelMs = 4.27;
constexpr double kControlLevel = 4.7e12;
constexpr std::array kControls{"read_stream", "bf16_gemm"};

/// In pair i the base runs first where i is even.
std::size_t place(std::size_t pair, bool head) {
  const bool second = (pair % 2 == 0) == head;
  return 2 * pair + (second ? 1 : 0);
}

std::vector<double> part(const std::vector<double>& all, std::size_t first, std::size_t count) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

SessionReport::SessionReport(Margins margins) : spec_(spec_of(margins)) {
  for (Arm* arm : {&base_, &head_}) {
    arm->metrics.resize(kMetrics);
    arm->controls.resize(kControls.size());
    for (const GateSpec& gate : spec_.gates) {
      MetricValue metric;
      metric.id = gate.metric;
      metric.unit = "ms";
      arm->values.push_back(std::move(metric));
    }
    for (const char* name : kControls) {
      arm->readings.push_back({.name = name, .unit = "1/s", .readings = {}});
    }
  }
}

void SessionReport::fill(const Timeline& timeline, std::size_t session, std::size_t first,
                         const Setting& setting, Random& random) {
  const std::size_t pairs = (timeline.processes(session) - first) / 2;
  for (std::size_t metric = 0; metric < kMetrics; ++metric) {
    for (Arm* arm : {&base_, &head_}) {
      std::vector<double>& values = arm->metrics[metric];
      values.clear();
      for (std::size_t pair = 0; pair < pairs; ++pair) {
        const std::size_t process = first + place(pair, arm == &head_);
        values.push_back(kLevelMs * std::exp(timeline.at(metric, session, process)));
      }
    }
  }
  const NoiseShape shape = setting.shape == NoiseShape::drift ? NoiseShape::normal : setting.shape;
  for (std::size_t control = 0; control < kControls.size(); ++control) {
    NoiseChain chain(shape, kControlCv, random);
    base_.controls[control].clear();
    head_.controls[control].clear();
    for (std::size_t process = 0; process < 2 * pairs; ++process) {
      Arm& arm = place(process / 2, true) == process ? head_ : base_;
      for (int reading = 0; reading < 2; ++reading) {
        arm.controls[control].push_back(kControlLevel * std::exp(-chain.next(random)));
      }
    }
  }
}

void SessionReport::take_pairs(std::size_t first, std::size_t count, double change) {
  for (Arm* arm : {&base_, &head_}) {
    for (std::size_t i = 0; i < kMetrics; ++i) {
      MetricValue& metric = arm->values[i];
      metric.samples = part(arm->metrics[i], first, count);
      if (i == 0 && arm == &head_) {
        for (double& sample : metric.samples) sample *= 1.0 + change;
      }
      metric.value = median(metric.samples);
    }
    for (std::size_t i = 0; i < kControls.size(); ++i) {
      arm->readings[i].readings = part(arm->controls[i], 2 * first, 2 * count);
    }
  }
}

gates::PairsInput SessionReport::input() const {
  const auto view = [](const Arm& arm) {
    return gates::ArmView{.metrics = arm.values,
                          .capture = {.validity = Validity::valid, .reasons = {}},
                          .traced_over_untraced = 1.0,
                          .controls = arm.readings};
  };
  return {.spec = spec_, .base = view(base_), .head = view(head_)};
}

Judged SessionReport::judge(double change) {
  return judge_in_session(spec_, [&](std::size_t first, std::size_t count) {
    take_pairs(first, count, change);
    return input();
  });
}

gates::GateOutput SessionReport::confirm(const gates::GateOutput& screened, std::size_t first,
                                         int count, double change) {
  take_pairs(first, static_cast<std::size_t>(count), change);
  return gates::confirm_pairs(screened, input());
}

void StoreThenPairs::fill(const Timeline& timeline, std::size_t head, const Setting& setting,
                          Random& random) {
  store_.fill(timeline, head, setting, random);
  pairs_.fill(timeline, head, kHeadProcesses, setting, random);
}

Judged StoreThenPairs::judge(double change) {
  Judged judged = store_.judge(change);
  const int fresh = gates::confirm_needs(judged.output, store_.spec()).timing_pairs;
  if (fresh == 0) return judged;
  judged.output = pairs_.confirm(judged.output, 0, fresh, change);
  judged.processes += 2 * fresh;
  judged.confirmed = true;
  return judged;
}

}  // namespace perfgate::bench
