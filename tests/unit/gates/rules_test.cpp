// Each rule decides as its header says, and refuses what is no measurement.
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gates/gate_catalog.h"
#include "gates/rules/absolute_limits.h"
#include "gates/rules/counted_exact.h"
#include "gates/rules/two_bound.h"
#include "tests/unit/gates/case_builder.h"

namespace perfgate::gates {
namespace {

using ::testing::HasSubstr;

const std::string kStep = "step_time_p50";

MetricDecision two_bound(double head, const GateSpec& gate = gate_of(kStep),
                         const BaselineSeries& base = series_of(kStep, quiet_runs())) {
  return judge_two_bound(case_of(gate, metric_of(kStep, {head}), base));
}

TEST(TwoBound, AutoMarginIsThreeRunToRunSds) {
  const Comparison noisy =
      two_bound(4.27, gate_of(kStep), series_of(kStep, quiet_runs(4.27, 0.01))).comparison;
  EXPECT_TRUE(noisy.margin_auto);
  EXPECT_NEAR(noisy.margin_ratio, 0.03, 1e-9);
  EXPECT_NEAR(noisy.tolerance_ratio, 0.09, 1e-9);
  const Comparison quiet =
      two_bound(4.27, gate_of(kStep), series_of(kStep, quiet_runs(4.27, 0.0001))).comparison;
  EXPECT_DOUBLE_EQ(quiet.margin_ratio, kLeastAutoMargin);
}

TEST(TwoBound, AnUnchangedRunPassesAndSaysWhatItExcludes) {
  const Comparison row = two_bound(4.27).comparison;
  EXPECT_EQ(row.outcome, Outcome::pass) << row.reason;
  // t(0.975, 9) = 2.2622, s = 0.05 %, sqrt(1.1): 0.1186 %.
  EXPECT_NEAR(row.excludes_above_ratio, 0.001187, 2e-6);
  EXPECT_NEAR(row.ci_low_ratio, -0.001186, 2e-6);
  EXPECT_THAT(row.reason, HasSubstr("a rise above 0.12 % is excluded"));
}

TEST(TwoBound, AClearRiseIsSuspectAndAModerateOneUndecided) {
  EXPECT_EQ(two_bound(4.27 * 1.005).comparison.outcome, Outcome::suspected);
  const MetricDecision between = two_bound(4.27 * 1.004, gate_of(kStep, 0.0035, 0.0045));
  EXPECT_EQ(between.comparison.outcome, Outcome::inconclusive) << between.comparison.reason;
  EXPECT_THAT(between.comparison.reason, HasSubstr("neither above the margin"));
}

TEST(TwoBound, TheSuspectWinsWhereBothBoundsHold) {
  const Comparison row = two_bound(4.27 * 1.03, gate_of(kStep, 0.01, 0.10)).comparison;
  EXPECT_EQ(row.outcome, Outcome::suspected);
}

TEST(TwoBound, HigherIsBetterTurnsTheDirection) {
  MetricValue head = metric_of(kStep, {4.27 * 0.99});
  head.better = Better::higher;
  const GateSpec gate = gate_of(kStep);
  const BaselineSeries base = series_of(kStep, quiet_runs());
  const MetricDecision drop = judge_two_bound(case_of(gate, head, base));
  EXPECT_EQ(drop.comparison.outcome, Outcome::suspected) << drop.comparison.reason;
  EXPECT_LT(drop.comparison.ci_high_ratio, 0.0);
  head.samples = {4.27 * 1.01};
  head.value = 4.27 * 1.01;
  const MetricDecision rise = judge_two_bound(case_of(gate, head, base));
  EXPECT_EQ(rise.comparison.outcome, Outcome::pass);
  EXPECT_TRUE(rise.comparison.improved);
  EXPECT_LT(rise.comparison.ci_low_ratio, rise.comparison.ci_high_ratio);
}

TEST(TwoBound, AGateMayTurnTheDirectionItself) {
  GateSpec gate = gate_of(kStep);
  gate.better = Better::higher;
  EXPECT_EQ(two_bound(4.27 * 1.01, gate).comparison.outcome, Outcome::pass);
  EXPECT_EQ(two_bound(4.27 * 0.99, gate).comparison.outcome, Outcome::suspected);
}

TEST(TwoBound, AnImprovementPassesAndIsFlagged) {
  const Comparison row = two_bound(4.27 * 0.98).comparison;
  EXPECT_EQ(row.outcome, Outcome::pass);
  EXPECT_TRUE(row.improved);
  EXPECT_THAT(row.reason, HasSubstr("better by more than the margin"));
}

TEST(TwoBound, AChangeBelowAtLeastDoesNotCount) {
  GateSpec gate = gate_of(kStep);
  gate.at_least = 0.5;
  EXPECT_EQ(two_bound(4.27 * 1.05, gate).comparison.outcome, Outcome::pass);
  EXPECT_EQ(two_bound(4.27 + 0.6, gate).comparison.outcome, Outcome::suspected);
  gate.better = Better::higher;
  gate.at_least = 5.0;
  EXPECT_EQ(two_bound(0.001, gate).comparison.outcome, Outcome::pass)
      << "a fall by more than the whole value cannot happen";
}

TEST(TwoBound, ADeclaredToleranceBelowTheReachIsAConfigurationError) {
  const BaselineSeries noisy = series_of(kStep, quiet_runs(4.27, 0.01));
  const MetricDecision decision = two_bound(4.27, gate_of(kStep, 0.001, 0.003), noisy);
  EXPECT_EQ(decision.comparison.outcome, Outcome::inconclusive);
  EXPECT_THAT(decision.configuration_error, HasSubstr("this gate can never pass"));
  EXPECT_THAT(decision.configuration_error, HasSubstr("smallest honest tolerance"));
  EXPECT_EQ(two_bound(4.27, gate_of(kStep, 0.001, 0.0245), noisy).comparison.outcome, Outcome::pass)
      << "the tolerance that it names does pass";
  EXPECT_TRUE(two_bound(4.27, gate_of(kStep), noisy).configuration_error.empty());
}

/// Eight runs at 10 ms, SD 0.14 %, and the newest one elsewhere.
BaselineSeries with_newest(double newest) {
  std::vector<double> runs = quiet_runs(10.0, 0.0014, 8);
  runs.push_back(newest);
  return series_of(kStep, runs);
}

TEST(TwoBound, ARegressionThatWasRecordedOnceDoesNotLetTheNextOnePass) {
  for (const double head : {10.43, 10.5, 10.7, 11.5}) {
    const MetricDecision decision = two_bound(head, gate_of(kStep), with_newest(10.5));
    const Comparison& row = decision.comparison;
    EXPECT_EQ(row.outcome, Outcome::suspected) << row.reason;
    EXPECT_NEAR(row.margin_ratio, 3 * 0.0014, 1e-4);
    EXPECT_EQ(row.n_base, 8);
    EXPECT_THAT(row.reason, HasSubstr("; run 9 of the store lies apart and is left out"));
    // Against all nine a change as large as the one that was recorded may be chance.
    EXPECT_EQ(decision.restraint.empty(), head > 10.6) << decision.restraint;
    EXPECT_EQ(row.p_value.value() < 0.01, head > 10.6);
  }
  EXPECT_EQ(two_bound(10.0, gate_of(kStep), with_newest(10.5)).comparison.outcome, Outcome::pass);
}

TEST(TwoBound, WhatIsAsFastAsTheLevelButNotAsTheNewestRunsIsLeftOpen) {
  const Comparison row = two_bound(10.0, gate_of(kStep), with_newest(9.5)).comparison;
  EXPECT_EQ(row.outcome, Outcome::inconclusive);
  EXPECT_EQ(row.unsettled, Unsettled::unplaced_level);
  EXPECT_EQ(row.runs_to_settle, 3);
  EXPECT_EQ(row.excludes_above_ratio, 0.0);
  EXPECT_THAT(row.reason, HasSubstr("but not against the newest 1 run of the store at 9.5 ms: "
                                    "worse than that by 5.26 %; 3 more runs there would be a "
                                    "level of their own"));
  EXPECT_EQ(two_bound(9.5, gate_of(kStep), with_newest(9.5)).comparison.outcome, Outcome::pass);
  std::vector<double> back = quiet_runs(10.0, 0.0014, 8);
  back.insert(back.begin() + 6, 9.5);
  EXPECT_EQ(two_bound(10.0, gate_of(kStep), series_of(kStep, back)).comparison.outcome,
            Outcome::pass)
      << "it is not among the newest";
}

TEST(TwoBound, AProcessThatWasDisturbedIsNoFaultOfTheFile) {
  const GateSpec gate = gate_of(kStep, 0.01, 0.03);
  const MetricValue head = metric_of(kStep, {10.0, 10.01, 15.0, 9.99, 10.02});
  BaselineSeries base = series_of(kStep, quiet_runs(10.0, 0.001));
  for (BaselinePoint& point : base.points) point.samples = {10.0, 10.02, 9.98, 10.01, 9.99};
  const MetricDecision decision = judge_two_bound(case_of(gate, head, base));
  EXPECT_EQ(decision.configuration_error, "");
  EXPECT_EQ(decision.comparison.outcome, Outcome::inconclusive) << decision.comparison.reason;
  EXPECT_THAT(decision.comparison.reason, HasSubstr("one process of this run lies apart at 15 ms"));
  EXPECT_EQ(decision.comparison.unsettled, Unsettled::lone_process);
  EXPECT_EQ(decision.comparison.passing_tolerance_ratio, 0.0)
      << "a wider tolerance is no answer to one disturbed process";
}

TEST(TwoBound, AGateThatCannotPassMayStillFail) {
  const BaselineSeries noisy = series_of(kStep, quiet_runs(4.27, 0.01));
  const MetricDecision decision = two_bound(4.27 * 1.1, gate_of(kStep, 0.001, 0.003), noisy);
  EXPECT_EQ(decision.comparison.outcome, Outcome::suspected);
  EXPECT_EQ(decision.configuration_error, "") << "it says one thing: what was found";
}

TEST(TwoBound, OneRunIsTooLittleHistory) {
  const Comparison row = two_bound(4.4, gate_of(kStep), series_of(kStep, {4.27})).comparison;
  EXPECT_EQ(row.outcome, Outcome::inconclusive);
  EXPECT_FALSE(row.interval_known);
  EXPECT_THAT(row.reason, HasSubstr("one run in the store shows no spread"));
}

TEST(TwoBound, WithoutHistoryThereIsNoBaseline) {
  EXPECT_EQ(two_bound(4.4, gate_of(kStep), series_of(kStep, {})).comparison.outcome,
            Outcome::no_baseline);
}

TEST(TwoBound, WhatIsNoMeasurementIsInvalidOnEitherSide) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity(), -1.0, 0.0}) {
    EXPECT_EQ(two_bound(bad).comparison.outcome, Outcome::invalid) << bad;
    std::vector<double> runs = quiet_runs();
    runs[3] = bad;
    EXPECT_EQ(two_bound(4.27, gate_of(kStep), series_of(kStep, runs)).comparison.outcome,
              Outcome::invalid)
        << bad;
  }
  EXPECT_EQ(two_bound(-1.0).comparison.n_base, 0) << "no base of 0 that was never measured";
  EXPECT_EQ(two_bound(0.0).comparison.n_base, 0);
  MetricValue none = metric_of(kStep, {});
  none.value = 4.27;
  const GateSpec gate = gate_of(kStep);
  const BaselineSeries base = series_of(kStep, quiet_runs());
  EXPECT_EQ(judge_two_bound(case_of(gate, none, base)).comparison.outcome, Outcome::invalid);
}

MetricDecision traced_idle(const std::vector<double>& base, double head, GateSpec gate) {
  const std::string id = "gpu_idle_ms";
  gate.metric = id;
  const MetricValue metric = metric_of(id, {head}, MetricKind::traced);
  const BaselineSeries series = series_of(id, base, MetricKind::traced);
  return judge_two_bound(case_of(gate, metric, series));
}

TEST(TwoBound, AMetricThatIsZeroNeedsAtLeast) {
  const std::vector<double> zeros(10, 0.0);
  EXPECT_EQ(traced_idle(zeros, 0.0, {}).comparison.outcome, Outcome::pass);
  const Comparison without = traced_idle(zeros, 1.0, {}).comparison;
  EXPECT_EQ(without.outcome, Outcome::inconclusive);
  EXPECT_THAT(without.reason, HasSubstr("at_least in ms"));
  GateSpec gate;
  gate.at_least = 0.05;
  EXPECT_EQ(traced_idle(zeros, 1.0, gate).comparison.outcome, Outcome::suspected);
  EXPECT_EQ(traced_idle(zeros, 0.01, gate).comparison.outcome, Outcome::pass);
}

TEST(TwoBound, CreepAgainstThePinnedLevelIsNoted) {
  BaselineSeries base = series_of(kStep, quiet_runs());
  base.pinned = 4.20;
  const MetricDecision decision = two_bound(4.27, gate_of(kStep), base);
  EXPECT_EQ(decision.comparison.outcome, Outcome::pass);
  ASSERT_EQ(decision.notes.size(), 1U);
  EXPECT_EQ(decision.notes[0].code, "pinned_breach");
  base.pinned = 4.27;
  EXPECT_TRUE(two_bound(4.27, gate_of(kStep), base).notes.empty());
}

/// Eight quiet runs and twelve of +0.4 % each, as a newcomer recorded them: the level followed, and
/// at margins of 1 % and 3 % nothing could be told of +4.8 % any more.
TEST(TwoBound, ACreepIsFoundAgainstThePinHoweverFarTheStoreSpread) {
  std::vector<double> runs = quiet_runs(4.0, 0.001);
  runs.resize(8);
  for (int i = 1; i < 12; ++i) runs.push_back(4.0 * std::pow(1.004, i) * (i % 2 ? 1.001 : 0.999));
  BaselineSeries base = series_of(kStep, runs);
  base.pinned = runs[7];
  GateSpec gate = gate_of(kStep);
  gate.margin_ratio = 0.01;
  gate.tolerance_ratio = 0.03;
  const MetricValue head = metric_of(kStep, {4.19, 4.191, 4.192, 4.19, 4.191});
  MetricCase creep = case_of(gate, head, base);
  const MetricDecision noted = judge_two_bound(creep);
  EXPECT_NE(noted.comparison.outcome, Outcome::fail);
  EXPECT_EQ(noted.configuration_error, "") << "the runs drift, the file is not wrong";
  ASSERT_EQ(noted.notes.size(), 1U);
  EXPECT_THAT(noted.notes[0].text, HasSubstr("against the pinned level"));
  creep.is_recording = true;
  const Comparison failed = judge_two_bound(creep).comparison;
  EXPECT_EQ(failed.outcome, Outcome::fail) << failed.reason;
  EXPECT_DOUBLE_EQ(failed.base, runs[7]);
  EXPECT_THAT(failed.reason, HasSubstr("small changes have added up"));
}

/// For any head, base and margins: exactly one of the stated outcomes, its numbers finite and in
/// order, and a worse head is never judged better.
TEST(TwoBound, WorseNeverBecomesBetter) {
  const auto rank = [](Outcome outcome) {
    return outcome == Outcome::pass ? 0 : outcome == Outcome::inconclusive ? 1 : 2;
  };
  for (const double sd : {0.0, 0.0005, 0.01}) {
    for (const double margin : {0.001, 0.01, 0.05}) {
      const BaselineSeries base = series_of(kStep, quiet_runs(4.27, sd));
      int last = 0;
      double last_p = 1.0;
      for (double ratio = 0.9; ratio < 1.2; ratio += 0.005) {
        const MetricDecision decision =
            two_bound(4.27 * ratio, gate_of(kStep, margin, 3 * margin), base);
        const Comparison& row = decision.comparison;
        EXPECT_GE(rank(row.outcome), last) << row.reason;
        last = rank(row.outcome);
        EXPECT_LE(*decision.comparison.p_value, last_p);
        last_p = *decision.comparison.p_value;
        EXPECT_LE(row.ci_low_ratio, row.ci_high_ratio);
        EXPECT_TRUE(std::isfinite(row.ci_low_ratio) && std::isfinite(row.ci_high_ratio));
      }
      EXPECT_EQ(last, 2);
    }
  }
}

MetricDecision counted(const std::vector<double>& head, const std::vector<double>& base,
                       GateSpec gate = {}) {
  gate.metric = "kernel_launches";
  const MetricValue metric = metric_of(gate.metric, head, MetricKind::counted, "1");
  const BaselineSeries series = series_of(gate.metric, base, MetricKind::counted, "1");
  return judge_counted(case_of(gate, metric, series));
}

TEST(Counted, ComparesExactlyWithTheNewestRun) {
  EXPECT_EQ(counted({385, 385, 385}, {400, 385}).comparison.outcome, Outcome::pass);
  const Comparison row = counted({386, 386, 386}, {385, 385}).comparison;
  EXPECT_EQ(row.outcome, Outcome::fail);
  EXPECT_THAT(row.reason, HasSubstr("kernel_launches 385 -> 386: worse by 1"));
}

TEST(Counted, SlackAllowsARise) {
  GateSpec gate;
  gate.slack = 3;
  EXPECT_EQ(counted({388}, {385}, gate).comparison.outcome, Outcome::pass);
  EXPECT_EQ(counted({389}, {385}, gate).comparison.outcome, Outcome::fail);
}

TEST(Counted, FewerIsFlaggedAndAnExactGateAsks) {
  const Comparison fewer = counted({300}, {385}).comparison;
  EXPECT_EQ(fewer.outcome, Outcome::pass);
  EXPECT_TRUE(fewer.improved);
  GateSpec exact;
  exact.exact = true;
  EXPECT_EQ(counted({300}, {385}, exact).comparison.outcome, Outcome::inconclusive);
  EXPECT_EQ(counted({386}, {385}, exact).comparison.outcome, Outcome::fail);
}

TEST(Counted, WhatAProgramReportsIsNotSaidToBeTraced) {
  GateSpec gate;
  gate.metric = "reported/allocs";
  gate.exact = true;
  const auto reason = [&](const std::vector<double>& head) {
    const MetricValue metric = metric_of(gate.metric, head, MetricKind::timed, "count");
    const BaselineSeries series = series_of(gate.metric, {100}, MetricKind::timed, "count");
    return judge_counted(case_of(gate, metric, series)).comparison.reason;
  };
  EXPECT_THAT(reason({100, 100}), HasSubstr("unchanged in every process"));
  EXPECT_THAT(reason({100, 101}), HasSubstr("the processes of this run disagree"));
}

TEST(Counted, ProcessesThatDisagreeGiveNoCount) {
  const Comparison row = counted({385, 386, 385}, {385}).comparison;
  EXPECT_EQ(row.outcome, Outcome::inconclusive);
  EXPECT_THAT(row.reason, HasSubstr("385 to 386"));
  EXPECT_EQ(counted({385}, {}).comparison.outcome, Outcome::no_baseline);
  EXPECT_EQ(counted({-1}, {385}).comparison.outcome, Outcome::invalid);
}

TEST(AbsoluteLimits, DecideWithoutABaseline) {
  GateSpec gate = gate_of(kStep);
  gate.max = 5.0;
  gate.min = 1.0;
  const auto outcome = [&](double value) {
    const MetricValue head = metric_of(kStep, {value});
    const BaselineSeries none = series_of(kStep, {});
    return judge_absolute_limits(case_of(gate, head, none)).comparison.outcome;
  };
  EXPECT_EQ(outcome(4.0), Outcome::pass);
  EXPECT_EQ(outcome(5.0), Outcome::pass);
  EXPECT_EQ(outcome(5.1), Outcome::fail);
  EXPECT_EQ(outcome(0.9), Outcome::fail);
  EXPECT_EQ(outcome(std::nan("")), Outcome::invalid);
}

/// Any mixture of five keys.
GateSpec gate_with(int bits) {
  GateSpec gate = gate_of("m");
  if ((bits & 1) != 0) gate.margin_ratio = 0.01;
  if ((bits & 2) != 0) gate.max = 1.0;
  if ((bits & 4) != 0) gate.exact = true;
  if ((bits & 8) != 0) gate.slack = 1.0;
  if ((bits & 16) != 0) gate.min = 1.0;
  return gate;
}

TEST(Catalogue, EveryGateHasARuleAndOnlyOneForTheBaseline) {
  for (const MetricKind kind : {MetricKind::timed, MetricKind::counted, MetricKind::traced}) {
    for (int bits = 0; bits < 32; ++bits) {
      const GateSpec gate = gate_with(bits);
      int all = 0;
      int against_baseline = 0;
      for (const GateRule& rule : gate_rules()) {
        if (!rule.applies(gate, kind)) continue;
        ++all;
        if (rule.needs_baseline) ++against_baseline;
      }
      EXPECT_GE(all, 1) << bits;
      EXPECT_LE(against_baseline, 1) << bits;
    }
  }
}

TEST(Catalogue, KeysForCountsAreRefusedForTimesAndTheOtherWayRound) {
  const auto key = [](const GateSpec& gate, MetricKind kind) {
    const auto problem = misplaced_key(gate, kind);
    return problem ? std::string(problem->key) : std::string();
  };
  GateSpec exact = gate_of("family_ms/gemm");
  exact.exact = true;
  EXPECT_EQ(key(exact, MetricKind::traced), "exact");
  EXPECT_EQ(key(exact, MetricKind::timed), "exact");
  EXPECT_EQ(key(exact, MetricKind::counted), "");
  GateSpec slack = gate_of(kStep);
  slack.slack = 2;
  EXPECT_EQ(key(slack, MetricKind::timed), "slack");
  EXPECT_THAT(misplaced_key(slack, MetricKind::timed)->hint, HasSubstr("margin and tolerance"));
  EXPECT_EQ(key(gate_of("kernel_launches", 0.01, 0.03), MetricKind::counted), "margin");
  EXPECT_EQ(key(gate_of(kStep, 0.01, 0.03), MetricKind::timed), "");
  GateSpec least = gate_of("copies");
  least.at_least = 1;
  EXPECT_EQ(key(least, MetricKind::counted), "at_least");
  GateSpec reported = gate_of("reported/pages");
  reported.exact = true;
  EXPECT_EQ(key(reported, MetricKind::timed), "") << "only the program knows that it counts";
}

TEST(TwoBound, SaysThatALevelBeganAtARun) {
  std::vector<double> runs = quiet_runs(4.49);
  for (const double run : quiet_runs(4.60, 0.0005, 8)) runs.push_back(run);
  const auto decision = judge_two_bound(
      case_of(gate_of("m"), metric_of("m", {4.60, 4.60, 4.60}), series_of("m", runs)));
  const Comparison& row = decision.comparison;
  EXPECT_EQ(row.outcome, Outcome::pass) << row.reason;
  EXPECT_EQ(row.n_base, 8);
  EXPECT_NEAR(row.margin_ratio, 0.0015, 1e-6);
  EXPECT_THAT(row.reason, HasSubstr("; level since run 11: a change of +2.45 % there"));
}

}  // namespace
}  // namespace perfgate::gates
