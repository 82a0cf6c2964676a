// Error rates of two arms in session, and what the gates say they find: fixed seeds, bounds wide
// enough for the number of draws.
#include <random>

#include <gtest/gtest.h>

#include "gates/bounds.h"
#include "gates/power.h"
#include "tests/unit/gates/case_builder.h"

namespace perfgate::gates {
namespace {

class Arms {
 public:
  explicit Arms(std::uint64_t seed) : random_(seed) {}

  std::vector<double> samples(double level, double cv, int count) {
    std::vector<double> values;
    for (int i = 0; i < count; ++i) values.push_back(level * std::exp(cv * normal_(random_)));
    return values;
  }

  /// `metrics` gates with `gate`'s bounds, the first one changed by `ratio`.
  Session session(double ratio, int metrics, int pairs, const GateSpec& bounds, double cv = 0.01) {
    Session made;
    for (int i = 0; i < metrics; ++i) {
      GateSpec gate = bounds;
      gate.metric = "m" + std::to_string(i);
      made.add(gate, metric_of(gate.metric, samples(4.27, cv, pairs)),
               metric_of(gate.metric, samples(4.27 * (i == 0 ? ratio : 1.0), cv, pairs)));
    }
    return made;
  }

  double normal() { return normal_(random_); }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

GateOutput screened_and_confirmed(Arms& arms, double ratio, int metrics, const GateSpec& bounds) {
  const Session screen = arms.session(ratio, metrics, 12, bounds);
  GateOutput output = screen.screened();
  if (confirm_needs(output, screen.spec).suspects.empty()) return output;
  return arms.session(ratio, metrics, kConfirmTimingPairs, bounds).confirms(output);
}

int failures(Arms& arms, double ratio, int metrics, int reports, const GateSpec& bounds) {
  int found = 0;
  for (int i = 0; i < reports; ++i) {
    const GateOutput output = screened_and_confirmed(arms, ratio, metrics, bounds);
    if (output.verdict.outcome == Outcome::fail) ++found;
  }
  return found;
}

TEST(SimulatedPairs, TwoArmsOfOneProgramHardlyEverFail) {
  Arms arms(21);
  EXPECT_LE(failures(arms, 1.0, 20, 400, gate_of("", 0.01, 0.03)), 1);
  EXPECT_LE(failures(arms, 1.0, 20, 100, gate_of("")), 1);
  // Without a margin to speak of the test itself must hold: 1 % of the reports at most, since Holm
  // looks at suspects only and those are few.
  EXPECT_LE(failures(arms, 1.0, 20, 400, gate_of("", 1e-9, 0.03)), 8);
}

TEST(SimulatedPairs, ThreePercentAtACvOfOneAmongTwentyIsFound) {
  Arms arms(22);
  EXPECT_GE(failures(arms, 1.03, 20, 200, gate_of("", 0.01, 0.03)), 180);
}

TEST(SimulatedPairs, AChangeOfExactlyTheMarginIsConfirmedInOnePercentAtMost) {
  Arms arms(23);
  EXPECT_LE(failures(arms, 1.01, 1, 600, gate_of("", 0.01, 0.03)), 4)
      << "the screen and the test both have to err";
}

TEST(SimulatedPairs, WhatAGateSaysItFindsIsFoundInNinetyFiveOfAHundred) {
  // One look at twelve pairs, then sixteen; the true spread of a pair is sqrt(2) %.
  const double margin = std::log(1.01);
  const double sd = 0.01 * std::sqrt(2.0);
  const auto stage = [&](int count, double level) {
    return TestStage{.standard_error = sd / std::sqrt(count),
                     .degrees = count - 1.0,
                     .critical = student_t_quantile(1.0 - level, count - 1.0)};
  };
  const std::array stages{stage(12, pocock_level(3) / 2.0), stage(16, kReportLevel)};
  const double ratio = std::exp(margin + found_beyond_margin(stages));
  Arms arms(24);
  constexpr int kDraws = 2000;
  const int found = failures(arms, ratio, 1, kDraws, gate_of("", 0.01, 0.03));
  EXPECT_GE(found, static_cast<int>(0.93 * kDraws));
  EXPECT_LE(found, static_cast<int>(0.97 * kDraws));
  // The row's own figure, out of an estimated spread, lies about it.
  double sum = 0.0;
  for (int i = 0; i < 200; ++i) {
    const Session session = arms.session(1.0, 1, 12, gate_of("", 0.01, 0.03));
    sum += session.screened().comparisons.at(0).finds_from_ratio;
  }
  EXPECT_NEAR(sum / 200, ratio - 1.0, 0.001);
}

TEST(SimulatedPairs, WhatTheStoreSaysItFindsIsFoundInNinetyFiveOfAHundred) {
  // Ten runs with a run-to-run SD of 0.3 % and one gate. The rows' own figures,
  // as they differ with what each store happens to show, on average.
  Arms arms(25);
  const auto report = [&](double ratio) {
    Report made;
    made.spec.timing.processes = {5};
    made.spec.trace.processes = {3};
    made.add(gate_of("m", 0.01, 0.03), metric_of("m", arms.samples(4.27 * ratio, 0.003, 1)),
             series_of("m", arms.samples(4.27, 0.003, 10)));
    return made.judged();
  };
  double sum = 0.0;
  for (int i = 0; i < 500; ++i) sum += report(1.0).comparisons.at(0).finds_from_ratio;
  const double ratio = 1.0 + sum / 500;
  EXPECT_NEAR(ratio, 1.0245, 0.002) << "margin 1 %, and 4.5 standard errors of 0.31 % or so";
  constexpr int kDraws = 2000;
  int found = 0;
  for (int i = 0; i < kDraws; ++i) {
    if (report(ratio).verdict.outcome == Outcome::fail) ++found;
  }
  EXPECT_GE(found, static_cast<int>(0.93 * kDraws));
  EXPECT_LE(found, static_cast<int>(0.97 * kDraws));
}

}  // namespace
}  // namespace perfgate::gates
