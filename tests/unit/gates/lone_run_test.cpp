// What one run alone shows against a store whose own runs stray.
#include "gates/lone_run.h"

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gates/statistics.h"
#include "tests/unit/gates/case_builder.h"

namespace perfgate::gates {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

constexpr int kRuns = 10;
constexpr int kGates = 20;

std::string name_of(int metric) { return "m" + std::to_string(metric); }

/// Twenty gates, ten quiet runs; the head of m0 is slower by `change` in each process.
Report quiet_report(double change) {
  Report report;
  for (int i = 0; i < kGates; ++i) {
    const double head = 4.27 * (i == 0 ? 1.0 + change : 1.0);
    report.add(gate_of(name_of(i), 0.01, 0.03), metric_of(name_of(i), std::vector<double>(5, head)),
               series_of(name_of(i), quiet_runs(4.27, 0.002, kRuns)));
  }
  return report;
}

/// Run `place` of the metric's store is slower by 4 % as a whole.
void stray(Report& report, int metric, std::size_t place, double by = 0.04) {
  BaselinePoint& point = report.baseline.at(static_cast<std::size_t>(metric)).points.at(place);
  point.value *= 1.0 + by;
  for (double& sample : point.samples) sample *= 1.0 + by;
}

Report straying_report(double change) {
  Report report = quiet_report(change);
  stray(report, 3, 4);
  stray(report, 7, 6);
  return report;
}

TEST(LoneRun, ASlowRunIsSuspectedWhereRunsOfTheStoreStrayedAsFar) {
  const GateOutput output = straying_report(0.04).judged();
  const Comparison& row = output.comparisons.at(0);
  EXPECT_EQ(row.outcome, Outcome::suspected);
  EXPECT_EQ(row.unsettled, Unsettled::lone_run);
  EXPECT_LT(row.p_value.value_or(1.0), 1e-6) << "for normal noise it would be proof";
  EXPECT_THAT(output.verdict.reasons, Contains(Field(&Reason::code, "lone_run")));
  EXPECT_THAT(row.reason, HasSubstr("runs of this store stray by themselves (run "));
  EXPECT_THAT(row.reason, HasSubstr("in m3"));
  EXPECT_THAT(row.reason, HasSubstr("in m7"));
  EXPECT_EQ(output.verdict.outcome, Outcome::suspected);
}

TEST(LoneRun, ARealStepFailsWhereNoRunStrayed) {
  EXPECT_EQ(quiet_report(0.04).judged().comparisons.at(0).outcome, Outcome::fail);
}

TEST(LoneRun, AStepFarBeyondWhatStrayedFailsAllTheSame) {
  EXPECT_EQ(straying_report(0.25).judged().comparisons.at(0).outcome, Outcome::fail);
}

TEST(LoneRun, OneRunThatLiesApartHoldsNothingBack) {
  Report report = quiet_report(0.04);
  for (const int metric : {2, 3, 5}) stray(report, metric, 4);
  EXPECT_EQ(report.judged().comparisons.at(0).outcome, Outcome::fail)
      << "a change that was recorded and taken back";
}

TEST(LoneRun, FasterRunsStrayToo) {
  Report report = quiet_report(0.04);
  stray(report, 3, 4, -0.04);
  stray(report, 7, 6, -0.04);
  EXPECT_EQ(report.judged().comparisons.at(0).unsettled, Unsettled::lone_run);
}

TEST(LoneRun, WhatLiesWithinTheMarginDoesNotStray) {
  Report report = quiet_report(0.04);
  stray(report, 3, 4, 0.005);
  stray(report, 7, 6, 0.005);
  EXPECT_EQ(report.judged().comparisons.at(0).outcome, Outcome::fail);
}

TEST(LoneRun, ARowPromisesLessWhereRunsStray) {
  const Comparison quiet = quiet_report(0.0).judged().comparisons.at(0);
  const Comparison straying = straying_report(0.0).judged().comparisons.at(0);
  EXPECT_EQ(straying.outcome, Outcome::pass);
  EXPECT_GT(straying.finds_from_ratio, 2.0 * quiet.finds_from_ratio);
  EXPECT_EQ(straying_report(straying.finds_from_ratio).judged().comparisons.at(0).outcome,
            Outcome::fail)
      << "what it promises it keeps";
}

TEST(LoneRun, DistancesAreFromTheOthersOfTheSeries) {
  const std::vector<double> values{1.0, 1.2, 0.9, 1.1, 2.0};
  const std::vector<std::int64_t> rows{11, 12, 13, 14, 15};
  const auto distances = run_distances(values, rows, 0.0);
  ASSERT_EQ(distances.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<double> others = values;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_EQ(distances[i].run, rows[i]);
    EXPECT_NEAR(distances[i].off, values[i] - mean(others), 1e-12);
    EXPECT_NEAR(distances[i].standard_error, sample_sd(others) * std::sqrt(1.25), 1e-12);
  }
  EXPECT_NEAR(run_distances(values, rows, 3.0).back().standard_error, 3.0 * std::sqrt(1.25), 1e-12)
      << "never quieter than the least SD";
  EXPECT_TRUE(run_distances(std::vector{1.0, 2.0}, rows, 0.0).empty());
}

TEST(LoneRun, EqualRunsAndOneThatDiffersAreNoInfiniteDistance) {
  Report report = quiet_report(0.0);
  for (const int metric : {0, 3, 7}) {
    report.baseline.at(static_cast<std::size_t>(metric)) =
        series_of(name_of(metric), std::vector<double>(kRuns, 4.27));
  }
  stray(report, 3, 4);
  stray(report, 7, 6);
  report.metrics.at(0) = metric_of(name_of(0), std::vector<double>(5, 4.27 * 1.2));
  EXPECT_EQ(report.judged().comparisons.at(0).outcome, Outcome::fail);
}

TEST(LoneRun, LongerTailsAskForMore) {
  StoreTail tail{.farthest = Stray{.run = 1, .distance = 9.0, .metric = "a"},
                 .second = Stray{.run = 2, .distance = 4.4, .metric = "b"},
                 .distances = 720};
  EXPECT_NEAR(asked_distance(tail, 10), 2.25 * 4.4, 0.1) << "what normal noise would do";
  tail.second->distance = 8.0;
  EXPECT_NEAR(asked_distance(tail, 10), 3.5 * 8.0, 1e-9);
  tail.second->run = 0;
  EXPECT_NEAR(asked_distance(tail, 10), 3.5 * 8.0, 1e-9) << "a run like any other";
  EXPECT_EQ(asked_distance({}, 10), 0.0) << "nothing strayed";
  tail.distances = 49;
  EXPECT_EQ(asked_distance(tail, 10), 0.0) << "too few to tell a tail by";
}

}  // namespace
}  // namespace perfgate::gates
