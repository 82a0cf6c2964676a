// What a gate will see, told before anything runs.
#include "gates/outlook.h"

#include <random>

#include <gtest/gtest.h>

#include "gates/power.h"
#include "gates/wilson.h"
#include "gates/wording.h"
#include "tests/unit/gates/case_builder.h"

namespace perfgate::gates {
namespace {

WorkloadSpec spec_of(const GateSpec& gate, std::vector<int> looks = {5}) {
  WorkloadSpec spec;
  spec.timing.processes = std::move(looks);
  spec.trace.processes = {3};
  spec.gates = {gate};
  return spec;
}

Outlook outlook_at(const WorkloadSpec& spec, const BaselineSeries& series,
                   const std::string& instance = "GPU-1") {
  return outlook_of({.spec = spec,
                     .gate = spec.gates.front(),
                     .kind = series.kind,
                     .base = series,
                     .head_instance = instance});
}

Outlook outlook_at(const GateSpec& gate, const BaselineSeries& series,
                   const std::string& instance = "GPU-1") {
  return outlook_at(spec_of(gate), series, instance);
}

TEST(Outlook, TellsWhatTheReportOfAnUnchangedRunWillSay) {
  // Every run has the processes of the run to come, so that only the head's luck is not known.
  BaselineSeries series = series_of("m", quiet_runs());
  const std::vector<double> steps{-1.0, 0.0, 0.0, 0.0, 1.0};
  const auto processes = [&](double level) {
    std::vector<double> samples;
    for (const double step : steps) samples.push_back(level * std::exp(0.001 * step));
    return samples;
  };
  for (BaselinePoint& point : series.points) point.samples = processes(point.value);
  for (const double tolerance : {0.02, 0.0005}) {
    Report report;
    report.spec = spec_of(gate_of("m", 0.0004, tolerance), {5});
    report.metrics = {metric_of("m", processes(4.27))};
    report.baseline = {series};
    const Comparison row = report.judged().comparisons.at(0);
    const Outlook outlook = outlook_at(report.spec, series);
    EXPECT_NEAR(outlook.fails_from->ratio, row.finds_from_ratio, 1e-12);
    EXPECT_EQ(outlook.margin->ratio, row.margin_ratio);
    EXPECT_EQ(outlook.pass_obstacle == Unsettled::no, row.outcome == Outcome::pass) << row.reason;
    EXPECT_EQ(outlook.runs, row.n_base);
    EXPECT_NEAR(outlook.level, row.base, 1e-12);
  }
}

TEST(Outlook, ATolaranceBelowWhatTheRunsShowIsNamedWithWhatWouldHelp) {
  Outlook outlook = outlook_at(gate_of("m", 0.0004, 0.0012), series_of("m", quiet_runs()));
  EXPECT_EQ(outlook.pass_obstacle, Unsettled::wide_interval);
  EXPECT_LT(outlook.passes_unchanged, 0.95);
  ASSERT_TRUE(outlook.honest_tolerance);
  const double honest = outlook.honest_tolerance->ratio;
  EXPECT_GT(honest, 0.0012);
  EXPECT_NEAR(outlook.honest_tolerance->amount, 4.27 * honest, 1e-9);
  outlook = outlook_at(gate_of("m", 0.0004, honest * 1.0001), series_of("m", quiet_runs()));
  EXPECT_EQ(outlook.pass_obstacle, Unsettled::no);
  EXPECT_NEAR(outlook.passes_unchanged, 0.95, 1e-3);
}

TEST(Outlook, ARunThatCanNeverPassNamesTheSameSmallestHonestTolerance) {
  const BaselineSeries series = series_of("m", quiet_runs(4.27, 0.01));
  Report report;
  report.spec = spec_of(gate_of("m", 0.001, 0.003));
  report.metrics = {metric_of("m", {4.27, 4.27, 4.27, 4.27, 4.27})};
  report.baseline = {series};
  const Comparison row = report.judged().comparisons.at(0);
  const std::string honest = percent(outlook_at(report.spec, series).honest_tolerance->ratio);
  EXPECT_NE(row.reason.find("smallest honest tolerance " + honest), std::string::npos)
      << row.reason << ", not " << honest;
}

TEST(Outlook, MoreProcessesAreAdvisedWhereTheyWouldDo) {
  // All of the spread from run to run is that of the processes: 1 % each, five a run.
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  BaselineSeries series = series_of("m", {});
  for (int run = 1; run <= 12; ++run) {
    BaselinePoint point;
    point.run = run;
    point.instance = "GPU-1";
    for (int i = 0; i < 5; ++i) point.samples.push_back(4.27 * std::exp(0.01 * normal(random)));
    point.value = median(point.samples);
    series.points.push_back(point);
  }
  const Outlook five = outlook_at(gate_of("m", 0.005, 0.015), series);
  EXPECT_EQ(five.pass_obstacle, Unsettled::wide_interval);
  ASSERT_GT(five.processes_to_pass, 5);
  const WorkloadSpec more = spec_of(gate_of("m", 0.005, 0.015), {five.processes_to_pass});
  EXPECT_EQ(outlook_at(more, series).pass_obstacle, Unsettled::no);
  const WorkloadSpec fewer = spec_of(gate_of("m", 0.005, 0.015), {five.processes_to_pass - 1});
  EXPECT_NE(outlook_at(fewer, series).pass_obstacle, Unsettled::no);
}

TEST(Outlook, BelowEightRunsTheStoreCanOnlySuspect) {
  const Outlook few = outlook_at(gate_of("m"), series_of("m", quiet_runs(4.27, 0.0005, 5)));
  EXPECT_EQ(few.fail_obstacle, Unsettled::few_runs);
  EXPECT_EQ(few.runs_to_fail, 3);
  EXPECT_FALSE(few.fails_from);
  EXPECT_TRUE(few.suspects_from);
  EXPECT_TRUE(few.session_from) << "fresh pairs need no store";
  const Outlook other = outlook_at(gate_of("m"), series_of("m", quiet_runs()), "GPU-2");
  EXPECT_EQ(other.fail_obstacle, Unsettled::other_gpu);
  EXPECT_EQ(other.runs_to_fail, 8);
  EXPECT_EQ(outlook_at(gate_of("m"), series_of("m", quiet_runs()), "").fail_obstacle,
            Unsettled::unknown_gpu);
}

TEST(Outlook, WithoutRunsOrSpreadItPromisesNothing) {
  const Outlook none = outlook_at(gate_of("m", 0.01, 0.03), series_of("m", {}));
  EXPECT_EQ(none.pass_obstacle, Unsettled::few_runs);
  EXPECT_EQ(none.runs_to_fail, 8);
  EXPECT_EQ(none.margin->ratio, 0.01);
  EXPECT_FALSE(none.honest_tolerance);
  const Outlook one = outlook_at(gate_of("m"), series_of("m", {4.27}));
  EXPECT_EQ(one.pass_obstacle, Unsettled::no_spread);
  EXPECT_EQ(one.runs, 1);
  EXPECT_FALSE(one.margin) << "auto, and there is no SD yet";
  EXPECT_FALSE(one.session_from);
}

TEST(Outlook, RunsThatAreAllEqualAreJudgedByTheMarginAlone) {
  const Outlook still = outlook_at(gate_of("m"), series_of("m", std::vector<double>(10, 4.0)));
  EXPECT_EQ(still.pass_obstacle, Unsettled::no);
  EXPECT_NEAR(still.fails_from->ratio, 0.0015, 1e-9);
  ASSERT_TRUE(still.session_from) << "pairs are taken to scatter by a third of the margin";
  EXPECT_GT(still.session_from->ratio, 0.0015);
}

TEST(Outlook, AnAbsoluteLeastChangeRaisesBothBounds) {
  GateSpec gate = gate_of("m", 0.01, 0.03);
  gate.at_least = 0.5;
  const Outlook outlook = outlook_at(gate, series_of("m", quiet_runs(4.0)));
  EXPECT_NEAR(outlook.margin->amount, 0.5, 1e-12);
  EXPECT_NEAR(outlook.tolerance->ratio, 0.125, 1e-12);
  gate.better = Better::higher;
  gate.at_least = 5.0;
  EXPECT_FALSE(outlook_at(gate, series_of("m", quiet_runs(4.0))).fails_from)
      << "no fall is as large as the whole value";
}

TEST(Outlook, AMetricThatIsZeroSomewhereNeedsAnAbsoluteChange) {
  std::vector<double> values = quiet_runs(0.5, 0.01);
  values[3] = 0.0;
  GateSpec gate = gate_of("gpu_idle_ms", 0.05, 0.15);
  const BaselineSeries series = series_of("gpu_idle_ms", values, MetricKind::traced);
  EXPECT_EQ(outlook_at(gate, series).pass_obstacle, Unsettled::zero_ratio);
  gate.at_least = 2.0;
  EXPECT_EQ(outlook_at(gate, series).pass_obstacle, Unsettled::no);
  EXPECT_FALSE(outlook_at(gate_of("m"), series_of("m", values)).problem.empty());
}

TEST(Outlook, CountsAndLimitsAskForNoStatistics) {
  GateSpec exact = gate_of("kernel_launches");
  exact.exact = true;
  const BaselineSeries counts = series_of("kernel_launches", {385, 385}, MetricKind::counted, "1");
  const Outlook counted = outlook_at(exact, counts);
  EXPECT_EQ(counted.question, GateQuestion::counts);
  EXPECT_EQ(counted.level, 385);
  EXPECT_EQ(counted.fail_obstacle, Unsettled::no) << "one run is enough";
  GateSpec limit = gate_of("m");
  limit.max = 5.0;
  EXPECT_EQ(outlook_at(limit, series_of("m", {})).question, GateQuestion::limits);
  limit.margin_ratio = 0.01;
  EXPECT_EQ(outlook_at(limit, series_of("m", {})).question, GateQuestion::times);
}

/// Stores and heads out of one program: runs differ by 0.3 %, processes by 1 %.
class Drawn {
 public:
  explicit Drawn(std::uint64_t seed) : random_(seed) {}

  std::vector<double> run(double level) {
    const double shift = 0.003 * normal_(random_);
    std::vector<double> samples;
    for (int i = 0; i < 5; ++i)
      samples.push_back(level * std::exp(shift + 0.01 * normal_(random_)));
    return samples;
  }
  BaselineSeries store() {
    BaselineSeries series = series_of("m", {});
    for (int i = 1; i <= 10; ++i) {
      BaselinePoint point;
      point.run = i;
      point.instance = "GPU-1";
      point.samples = run(4.27);
      point.value = median(point.samples);
      series.points.push_back(point);
    }
    return series;
  }
  Outcome judged(const WorkloadSpec& spec, const BaselineSeries& series, double level) {
    Report report;
    report.spec = spec;
    report.metrics = {metric_of("m", run(level))};
    report.baseline = {series};
    return report.judged().verdict.outcome;
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

/// 95 of 100 as far as so many draws can tell.
void expect_promise_kept(int hits, int draws) {
  const Share share = wilson_interval(hits, draws, 0.99);
  EXPECT_LE(share.low, kFoundProbability) << hits << " of " << draws;
  EXPECT_GE(share.high, kFoundProbability) << hits << " of " << draws;
}

TEST(SimulatedOutlook, TheSlowdownThatItPromisesToFindIsFoundInNinetyFiveOfAHundred) {
  Drawn drawn(31);
  const WorkloadSpec spec = spec_of(gate_of("m", 0.01, 0.03));
  constexpr int kDraws = 800;
  int failed = 0;
  int promised = 0;
  for (int i = 0; i < kDraws; ++i) {
    const BaselineSeries series = drawn.store();
    const Outlook outlook = outlook_at(spec, series);
    // Where chance looks like a step, too few runs are left to fail on, and it says so.
    if (!outlook.fails_from) continue;
    ++promised;
    const double slower = 4.27 * (1.0 + outlook.fails_from->ratio);
    if (drawn.judged(spec, series, slower) == Outcome::fail) ++failed;
  }
  EXPECT_GE(promised, kDraws * 95 / 100);
  expect_promise_kept(failed, promised);
}

TEST(SimulatedOutlook, UnchangedRunsPassTheSmallestHonestToleranceInNinetyFiveOfAHundred) {
  Drawn drawn(32);
  constexpr int kDraws = 800;
  int passed = 0;
  for (int i = 0; i < kDraws; ++i) {
    const BaselineSeries series = drawn.store();
    const Outlook outlook = outlook_at(gate_of("m", 0.001, 0.01), series);
    const WorkloadSpec spec = spec_of(gate_of("m", 0.001, outlook.honest_tolerance->ratio));
    if (drawn.judged(spec, series, 4.27) == Outcome::pass) ++passed;
  }
  expect_promise_kept(passed, kDraws);
}

TEST(SimulatedOutlook, WhatItPromisesInSessionIsConfirmedInNinetyFiveOfAHundred) {
  std::mt19937_64 random(33);
  std::normal_distribution<double> normal;
  Drawn drawn(34);
  const GateSpec gate = gate_of("m", 0.01, 0.03);
  const auto session = [&](int pairs, double ratio) {
    std::vector<double> base;
    std::vector<double> head;
    for (int i = 0; i < pairs; ++i) {
      base.push_back(4.27 * std::exp(0.01 * normal(random)));
      head.push_back(4.27 * ratio * std::exp(0.01 * normal(random)));
    }
    Session made;
    made.add(gate, metric_of("m", base), metric_of("m", head));
    return made;
  };
  constexpr int kDraws = 600;
  int confirmed = 0;
  for (int i = 0; i < kDraws; ++i) {
    const Outlook outlook = outlook_at(spec_of(gate, {5, 8, 12}), drawn.store());
    const double ratio = 1.0 + outlook.session_from->ratio;
    const GateOutput screened = session(12, ratio).screened();
    const GateOutput output = session(kConfirmTimingPairs, ratio).confirms(screened);
    if (output.verdict.outcome == Outcome::fail) ++confirmed;
  }
  expect_promise_kept(confirmed, kDraws);
}

}  // namespace
}  // namespace perfgate::gates
