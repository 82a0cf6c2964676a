// What the nightly report finds in weeks of runs: creep, breaches, steps; and what it leaves alone.
#include "gates/trend.h"

#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "gates/drift.h"
#include "runner/model/median.h"
#include "tests/unit/gates/trend_builder.h"

namespace perfgate::gates {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Eight runs at rest, then each one 0.02 % slower than the one before: half of a run's own SD, and
/// no two runs in a row differ by the margin of 0.15 %.
/// Twenty runs, and twenty more a step away.
std::vector<double> stepped(Random& random, double ratio) {
  std::vector<double> values = quiet(random, 20);
  for (const double value : quiet(random, 20, ratio * kLevelMs)) values.push_back(value);
  return values;
}

std::vector<double> creeping(Random& random, int runs) {
  std::vector<double> values = quiet(random, 8 + runs);
  for (int i = 0; i < runs; ++i) values[8 + static_cast<std::size_t>(i)] *= std::pow(1.0002, i + 1);
  return values;
}

TEST(Trend, CreepOfSmallStepsIsFoundBeforeItReachesTheMargin) {
  Random random(1);
  TrendInput input = input_of(creeping(random, 20));
  input.gate.margin_ratio = 0.005;
  pin(input, 8);
  const TrendMetric metric = watched(input);
  EXPECT_EQ(metric.state, TrendState::creeping);
  EXPECT_FALSE(metric.beyond_margin);
  EXPECT_GT(metric.sum, metric.threshold);
  EXPECT_GE(metric.since.run, 8);
  EXPECT_LE(metric.since.run, 18) << "of 28";
  EXPECT_EQ(metric.before.run, metric.since.run - 1);
}

TEST(Trend, CreepThatWentOnIsABreach) {
  Random random(2);
  TrendInput input = input_of(creeping(random, 40));
  pin(input, 8);
  const TrendMetric metric = watched(input);
  EXPECT_EQ(metric.state, TrendState::breach);
  EXPECT_TRUE(metric.beyond_margin);
  EXPECT_NEAR(*metric.change_ratio, 0.007, 0.002);
  EXPECT_EQ(metric.accepted->at.run, 8);
}

TEST(Trend, UnchangedRunsRaiseNoAlertWhicheverRunIsPinned) {
  Random random(3);
  for (int draw = 0; draw < 40; ++draw) {
    TrendInput input = input_of(quiet(random, 60));
    for (const int run : {1, 8, 20, 60}) {
      pin(input, run);
      EXPECT_EQ(watched(input).state, TrendState::steady) << draw << " " << run;
    }
  }
}

// The pinned run was lucky by three SDs: without the runs beside it all later ones would creep.
TEST(Trend, ACreepAsLargeAsAnAutomaticMarginIsFound) {
  Random random(20);
  int found = 0;
  for (int draw = 0; draw < 100; ++draw) {
    std::vector<double> values = quiet(random, 70);
    for (int i = 30; i < 70; ++i)
      values[static_cast<std::size_t>(i)] *= std::exp(3.0 * kSd * (i - 29) / 40.0);
    TrendInput input = input_of(values);
    pin(input, 30);
    found += is_alert(watched(input).state) ? 1 : 0;
  }
  EXPECT_GE(found, 97);
}

TEST(Trend, ALuckyPinnedRunIsNoCreepOfAllOthers) {
  Random random(4);
  std::vector<double> values = quiet(random, 60);
  values[9] = kLevelMs * std::exp(-3.0 * kSd);
  TrendInput input = input_of(values);
  pin(input, 10);
  EXPECT_EQ(watched(input).state, TrendState::steady);
}

TEST(Trend, OfSeventyTwoMetricsTheThresholdIsHigherAndOneCreepIsFound) {
  Random random(5);
  std::vector<TrendInput> inputs;
  for (int i = 0; i < 72; ++i) {
    inputs.push_back(input_of(i == 40 ? creeping(random, 52) : quiet(random, 60),
                              "reported/" + std::to_string(i)));
    pin(inputs.back(), 8);
  }
  const Watched all = watch(inputs);
  EXPECT_EQ(all.watched, 72);
  ASSERT_THAT(all.metrics, SizeIs(72));
  for (std::size_t i = 0; i < all.metrics.size(); ++i) {
    EXPECT_EQ(is_alert(all.metrics[i].state), i == 40) << i;
    EXPECT_DOUBLE_EQ(all.metrics[i].threshold, cusum_threshold(72));
  }
}

TEST(Trend, AutocorrelatedRunsRaiseNoAlert) {
  int alerts = 0;
  Random random(6);
  for (int draw = 0; draw < 100; ++draw) {
    std::vector<double> values;
    double x = normal(random);
    for (int i = 0; i < 80; ++i) {
      values.push_back(kLevelMs * std::exp(kSd * x));
      x = 0.5 * x + std::sqrt(0.75) * normal(random);
    }
    TrendInput input = input_of(values);
    pin(input, 8);
    alerts += is_alert(watched(input).state) ? 1 : 0;
  }
  EXPECT_LE(alerts, 3);
}

/// Medians of measured A/A runs, by GPU and in their order; tests/data/aa_h200.
std::map<std::string, std::vector<double>> measured_runs(const std::string& workload) {
  std::ifstream in("tests/data/aa_h200/runs.jsonl");
  std::map<std::string, std::vector<double>> runs;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("{\"workload\": \"" + workload + "\"")) continue;
    if (line.find("session") != line.npos || line.find("planted") != line.npos) continue;
    const std::string gpu = line.substr(line.find("\"gpu\": \"") + 8, 1);
    std::istringstream list(line.substr(line.find('[') + 1));
    std::vector<double> values;
    for (double value = 0.0; list >> value; list.ignore(1)) values.push_back(value);
    runs[gpu].push_back(median(values));
  }
  return runs;
}

TEST(Trend, MeasuredRunsOfTheSameProgramRaiseNoAlert) {
  int series = 0;
  for (const auto& [gpu, values] : measured_runs("decode_8b")) {
    if (values.size() < 8) continue;
    ++series;
    TrendInput input = input_of(values);
    for (const std::size_t run : {std::size_t{1}, std::size_t{4}, std::size_t{8}, values.size()}) {
      pin(input, static_cast<int>(run));
      EXPECT_EQ(watched(input).state, TrendState::steady) << gpu << " " << run;
    }
  }
  EXPECT_GE(series, 3);
}

TEST(Trend, AStepThatNobodyAcceptedIsFoundWithoutAPin) {
  Random random(7);
  std::vector<double> values = quiet(random, 20);
  for (const double value : quiet(random, 10, 1.02 * kLevelMs)) values.push_back(value);
  const TrendMetric metric = watched(input_of(values));
  EXPECT_EQ(metric.state, TrendState::stepped);
  EXPECT_EQ(metric.since.run, 21);
  EXPECT_EQ(metric.before.run, 20);
  ASSERT_THAT(metric.changes, SizeIs(1));
  EXPECT_TRUE(metric.changes[0].worse);
  EXPECT_THAT(metric.changes[0].accepted, IsEmpty());
}

TEST(Trend, AStepThatWasTakenBackIsToldAndIsNoAlert) {
  Random random(8);
  std::vector<double> values = quiet(random, 20);
  for (const double value : quiet(random, 10, 1.02 * kLevelMs)) values.push_back(value);
  for (const double value : quiet(random, 10)) values.push_back(value);
  const TrendMetric metric = watched(input_of(values));
  EXPECT_EQ(metric.state, TrendState::not_accepted);
  EXPECT_THAT(metric.changes, SizeIs(2));
}

TEST(Trend, AnAcceptedStepIsNoAlertAndTheLevelBehindItIsWatched) {
  Random random(9);
  const std::vector<double> values = stepped(random, 1.02);
  TrendInput input = input_of(values);
  pin(input, 8);
  EXPECT_EQ(watched(input).state, TrendState::breach);
  input.marks.push_back({.first_run = 21, .reason = "longer context"});
  const TrendMetric metric = watched(input);
  EXPECT_EQ(metric.state, TrendState::steady);
  EXPECT_FALSE(metric.accepted->pinned);
  EXPECT_NEAR(metric.accepted->value, 1.02 * kLevelMs, 0.003);
  EXPECT_NEAR(*metric.change_ratio, 0.0, 0.001);
  ASSERT_THAT(metric.changes, SizeIs(1));
  EXPECT_THAT(metric.changes[0].accepted, HasSubstr("longer context"));
  // Creep behind it is found against the accepted level.
  for (std::size_t i = 28; i < values.size(); ++i)
    input.history.points[i].value *= std::pow(1.0003, static_cast<double>(i - 27));
  EXPECT_TRUE(is_alert(watched(input).state));
}

TEST(Trend, APinBehindAStepAcceptsIt) {
  Random random(10);
  const std::vector<double> values = stepped(random, 1.02);
  TrendInput input = input_of(values);
  for (const int run : {21, 22, 30}) {
    pin(input, run);
    const TrendMetric metric = watched(input);
    EXPECT_EQ(metric.state, TrendState::steady) << run;
    EXPECT_THAT(metric.changes[0].accepted, HasSubstr("first level")) << run;
  }
}

TEST(Trend, WhereTheStepIsMostOfTheShiftItIsNamed) {
  Random random(11);
  const std::vector<double> values = stepped(random, 1.02);
  TrendInput input = input_of(values);
  pin(input, 8);
  const TrendMetric metric = watched(input);
  EXPECT_EQ(metric.since.run, 21);
  EXPECT_EQ(metric.before.run, 20);
}

TEST(Trend, AnImprovementIsNoAlertInEitherDirection) {
  Random random(12);
  const std::vector<double> values = stepped(random, 0.97);
  TrendInput input = input_of(values);
  pin(input, 8);
  EXPECT_EQ(watched(input).state, TrendState::steady);
  EXPECT_NEAR(*watched(input).change_ratio, -0.03, 0.002);
  input.better = Better::higher;
  EXPECT_EQ(watched(input).state, TrendState::breach);
}

TEST(Trend, WithoutAPinCreepIsNotTold) {
  Random random(13);
  const TrendMetric metric = watched(input_of(quiet(random, 30)));
  EXPECT_EQ(metric.state, TrendState::not_accepted);
  EXPECT_EQ(metric.threshold, 0.0);
  EXPECT_TRUE(metric.level.has_value());
}

TEST(Trend, FewRunsSayHowManyMoreWouldDo) {
  TrendInput input = input_of({4.49, 4.4902, 4.4899});
  pin(input, 1);
  const TrendMetric metric = watched(input);
  EXPECT_EQ(metric.state, TrendState::few_runs);
  EXPECT_EQ(metric.runs_wanted, 5);
}

TEST(Trend, NoRunAndOneRunAreStates) {
  EXPECT_EQ(watched(input_of({})).state, TrendState::not_recorded);
  TrendInput one = input_of({4.49});
  EXPECT_EQ(watched(one).state, TrendState::not_accepted);
  pin(one, 1);
  EXPECT_EQ(watched(one).state, TrendState::few_runs);
  EXPECT_EQ(watched(one).runs_wanted, 7);
}

TEST(Trend, NoFigureIsEverNotANumber) {
  for (const double value : {0.0, 4.49}) {
    TrendInput input = input_of(std::vector<double>(20, value));
    pin(input, 3);
    const TrendMetric metric = watched(input);
    EXPECT_EQ(metric.state, TrendState::steady);
    EXPECT_EQ(metric.sum, 0.0);
    EXPECT_TRUE(std::isfinite(metric.margin_ratio));
    EXPECT_TRUE(std::isfinite(*metric.level));
    EXPECT_TRUE(std::isfinite(metric.change_ratio.value_or(0.0)));
    // Equal runs, and a few that are slower all alike.
    for (std::size_t i = 12; i < 20; ++i) {
      input.history.points[i].value = value + 1.0;
      input.history.points[i].samples = {value + 1.0};
    }
    const TrendMetric slower = watched(input);
    EXPECT_TRUE(is_alert(slower.state)) << value;
    EXPECT_TRUE(std::isfinite(slower.sum)) << value;
    EXPECT_TRUE(std::isfinite(slower.recent_ratio.value_or(0.0))) << value;
  }
}

}  // namespace
}  // namespace perfgate::gates
