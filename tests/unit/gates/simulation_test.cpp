// The gate's error rates on simulated runs: few draws, fixed seeds, bounds wide enough for their
// number. Shape as in the literature's tables: process CV 1 %, run-to-run SD on top, margin 1 %,
// tolerance 3 %.
#include <random>

#include <gtest/gtest.h>

#include "gates/store_level.h"
#include "tests/unit/gates/case_builder.h"

namespace perfgate::gates {
namespace {

constexpr int kProcesses = 5;
constexpr int kRuns = 10;

struct Noise {
  double process_cv = 0.01;
  double run_sd = 0.003;
};

class Simulation {
 public:
  explicit Simulation(std::uint64_t seed) : random_(seed) {}

  std::vector<double> run(const Noise& noise, double level) {
    const double run = noise.run_sd * normal_(random_);
    std::vector<double> samples;
    for (int i = 0; i < kProcesses; ++i) {
      samples.push_back(level * std::exp(run + noise.process_cv * normal_(random_)));
    }
    return samples;
  }

  BaselineSeries history(const std::string& id, const Noise& noise) {
    BaselineSeries series = series_of(id, {});
    for (int i = 0; i < kRuns; ++i) {
      BaselinePoint point;
      point.run = i + 1;
      point.instance = "GPU-1";
      point.samples = run(noise, 4.27);
      point.value = median(point.samples);
      series.points.push_back(point);
    }
    return series;
  }

  /// `metrics` gates, the first one changed by `ratio`.
  Report report(const Noise& noise, double ratio, int metrics) {
    Report made;
    made.spec.timing.processes = {kProcesses};
    for (int i = 0; i < metrics; ++i) {
      const std::string id = "m" + std::to_string(i);
      made.add(gate_of(id, 0.01, 0.03), metric_of(id, run(noise, 4.27 * (i == 0 ? ratio : 1.0))),
               history(id, noise));
    }
    return made;
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

int count(Simulation& simulation, const Noise& noise, double ratio, int reports, int metrics,
          Outcome outcome) {
  int found = 0;
  for (int i = 0; i < reports; ++i) {
    if (simulation.report(noise, ratio, metrics).judged().verdict.outcome == outcome) ++found;
  }
  return found;
}

TEST(Simulated, TheIntervalCoversTheTruthAsOftenAsItSays) {
  Simulation simulation(11);
  constexpr int kDraws = 3000;
  int covered = 0;
  for (int i = 0; i < kDraws; ++i) {
    const BaselineSeries series = simulation.history("m", {});
    const std::vector<double> head = simulation.run({}, 4.27);
    std::vector<double> logs;
    for (const double sample : head) logs.push_back(std::log(sample));
    const auto level = store_level(series, "GPU-1", Scale::log);
    const Interval interval =
        head_interval(*level, std::log(median(head)), kProcesses, sample_sd(logs), 0.05);
    if (interval.low() <= 0.0 && interval.high() >= 0.0) ++covered;
  }
  // 95 % nominal; a width that counts the head's own noise and the correlation only ever errs to
  // the wide side.
  EXPECT_GE(covered, static_cast<int>(0.945 * kDraws));
  EXPECT_LE(covered, static_cast<int>(0.99 * kDraws));
}

TEST(Simulated, UnchangedReportsNeverFailAndMostlyPass) {
  Simulation simulation(12);
  EXPECT_EQ(count(simulation, {}, 1.0, 100, 20, Outcome::fail), 0);
  EXPECT_GE(count(simulation, {}, 1.0, 100, 1, Outcome::pass), 93);
}

TEST(Simulated, AChangeOfExactlyTheMarginFailsInOnePercentAtMost) {
  Simulation simulation(13);
  // The worst case of the null hypothesis; 1 % of 600 is 6, and 14 are exceeded in 1 of 500 such
  // tests.
  EXPECT_LE(count(simulation, {}, 1.01, 600, 1, Outcome::fail), 14);
}

TEST(Simulated, PowerGrowsWithTheChange) {
  const Noise quiet{.process_cv = 0.005, .run_sd = 0.001};
  Simulation simulation(14);
  EXPECT_EQ(count(simulation, quiet, 1.0, 100, 1, Outcome::pass), 100);
  EXPECT_GE(count(simulation, quiet, 1.03, 100, 1, Outcome::fail), 95);
  EXPECT_GE(count(simulation, {}, 1.05, 100, 1, Outcome::fail), 95);
  EXPECT_GE(count(simulation, {}, 1.10, 60, 20, Outcome::fail), 58);
}

TEST(Simulated, FewerThanEightRunsNeverFail) {
  Simulation simulation(15);
  for (int i = 0; i < 20; ++i) {
    Report report = simulation.report({}, 1.2, 1);
    report.baseline[0].points.resize(7);
    EXPECT_EQ(report.judged().verdict.outcome, Outcome::suspected);
  }
}

}  // namespace
}  // namespace perfgate::gates
