// The interval of a new run against the store is the one of the header, part by part.
#include "gates/store_level.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "tests/unit/gates/case_builder.h"

namespace perfgate::gates {
namespace {

TEST(StoreLevel, IsThePredictionIntervalForOneMoreRun) {
  // Logs 1 2 3 4 5: mean 3, SD sqrt(2.5); head with one process like the runs.
  std::vector<double> values;
  for (const double log : {1.0, 2.0, 3.0, 4.0, 5.0}) values.push_back(std::exp(log));
  const auto level = store_level(series_of("m", values), "GPU-1", Scale::log);
  ASSERT_TRUE(level.has_value());
  EXPECT_DOUBLE_EQ(level->level, 3.0);
  EXPECT_DOUBLE_EQ(level->run_sd, std::sqrt(2.5));
  EXPECT_EQ(level->degrees, 4.0);
  const Interval interval = head_interval(*level, 3.5, 1, 0.0, 0.05);
  EXPECT_DOUBLE_EQ(interval.estimate, 0.5);
  EXPECT_NEAR(interval.half_width,
              student_t_quantile(0.975, 4) * std::sqrt(2.5) * std::sqrt(1.0 + 1.0 / 5.0), 1e-12);
}

TEST(StoreLevel, TheCalibratedSdIsAFloor) {
  BaselineSeries series = series_of("m", quiet_runs(4.27, 0.0001));
  series.calibrated_sd_ratio = 0.002;
  EXPECT_DOUBLE_EQ(store_level(series, "GPU-1", Scale::log)->run_sd, 0.002);
  series.calibrated_sd_ratio = 0.00001;
  EXPECT_NEAR(store_level(series, "GPU-1", Scale::log)->run_sd, 0.0001, 1e-9);
}

TEST(StoreLevel, OneRunShowsNoSpreadUnlessCalibrated) {
  BaselineSeries series = series_of("m", {4.27});
  EXPECT_EQ(store_level(series, "GPU-1", Scale::log)->degrees, 0.0);
  series.calibrated_sd_ratio = 0.001;
  EXPECT_EQ(store_level(series, "GPU-1", Scale::log)->degrees, kCalibrationDegrees);
}

TEST(StoreLevel, AnEmptySeriesHasNone) {
  EXPECT_FALSE(store_level(series_of("m", {}), "GPU-1", Scale::log).has_value());
}

TEST(StoreLevel, AutocorrelationWidensTheLevel) {
  std::vector<double> drifting;
  std::vector<double> shuffled;
  for (int i = 0; i < 20; ++i) drifting.push_back(4.0 + 0.1 * std::sin(i * 0.3));
  for (int i = 0; i < 20; ++i) shuffled.push_back(drifting[static_cast<std::size_t>(i * 7 % 20)]);
  const auto smooth = store_level(series_of("m", drifting), "GPU-1", Scale::log);
  const auto rough = store_level(series_of("m", shuffled), "GPU-1", Scale::log);
  EXPECT_NEAR(smooth->run_sd, rough->run_sd, 1e-12);
  EXPECT_GT(smooth->correlation, 0.5);
  EXPECT_EQ(rough->correlation, 0.0);
  EXPECT_GT(smooth->level_variance, 2.0 * rough->level_variance);
}

BaselineSeries with_processes(int processes, double process_sd) {
  BaselineSeries series = series_of("m", quiet_runs());
  for (BaselinePoint& point : series.points) {
    point.samples.clear();
    for (int i = 0; i < processes; ++i) {
      point.samples.push_back(point.value * std::exp(i % 2 == 0 ? process_sd : -process_sd));
    }
  }
  return series;
}

TEST(HeadVariance, FewerProcessesWidenAndMoreNarrow) {
  const auto level = store_level(with_processes(5, 0.001), "GPU-1", Scale::log);
  EXPECT_DOUBLE_EQ(level->processes_per_run, 5.0);
  const double same = head_variance(*level, 5, 0.0);
  EXPECT_GT(head_variance(*level, 3, 0.0), same);
  EXPECT_LT(head_variance(*level, 12, 0.0), same);
}

TEST(HeadVariance, ANoisyHeadIsNotJudgedByAQuietPast) {
  const auto level = store_level(with_processes(5, 0.0001), "GPU-1", Scale::log);
  EXPECT_NEAR(head_variance(*level, 5, 0.02), 0.02 * 0.02 * median_variance_factor(5) / 5, 1e-12);
}

TEST(ProcessesForHalfWidth, FindsTheSmallestNumberOrSaysNone) {
  const auto level = store_level(with_processes(5, 0.001), "GPU-1", Scale::log);
  const double now = head_interval(*level, level->level, 5, 0.001, 0.05).half_width;
  const int needed = processes_for_width(*level, {now * 0.9, 0.05}, 5, 0.001, 200);
  ASSERT_GT(needed, 5);
  EXPECT_LE(head_interval(*level, level->level, needed, 0.001, 0.05).half_width, now * 0.9);
  EXPECT_GT(head_interval(*level, level->level, needed - 1, 0.001, 0.05).half_width, now * 0.9);
  EXPECT_EQ(processes_for_width(*level, {0.0, 0.05}, 5, 0.001, 200), 0);
}

TEST(Instances, AnotherGpuThanAllRunsMayOnlySuspect) {
  const auto level = store_level(series_of("m", quiet_runs()), "GPU-2", Scale::log);
  EXPECT_EQ(level->restraint, Unsettled::other_gpu);
  EXPECT_EQ(level->own_runs, 0);
  EXPECT_EQ(store_level(series_of("m", quiet_runs()), "", Scale::log)->restraint,
            Unsettled::unknown_gpu);
}

TEST(Instances, EnoughRunsOfTheOwnGpuServeAlone) {
  BaselineSeries series = series_of("m", quiet_runs());
  for (int i = 0; i < 2; ++i) series.points[static_cast<std::size_t>(i)].instance = "GPU-9";
  const auto level = store_level(series, "GPU-1", Scale::log);
  EXPECT_EQ(level->runs, 8);
  EXPECT_EQ(level->restraint, Unsettled::no);
}

TEST(Instances, FromFourOnTheirVarianceJoins) {
  // Four GPUs, two runs each; GPUs differ by 1 %, the runs of one GPU hardly.
  BaselineSeries series = series_of("m", {1.00, 1.0001, 1.01, 1.0101, 1.02, 1.0201, 1.03, 1.0301});
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    series.points[i].instance = "GPU-" + std::to_string(i / 2);
  }
  const auto level = store_level(series, "GPU-new", Scale::log);
  EXPECT_EQ(level->restraint, Unsettled::no);
  EXPECT_EQ(level->instances, 4);
  EXPECT_EQ(level->degrees, 3.0);
  EXPECT_NEAR(level->run_sd, 0.0128, 0.0003) << "SD of 0, 1, 2, 3 % is 1.29 %";
  EXPECT_GT(head_interval(*level, level->level, 1, 0.0, 0.05).half_width, 0.04);
}

TEST(RunsForWidth, NamesTheSmallestNumberThatReachesIt) {
  const auto four = store_level(series_of("m", quiet_runs(4.27, 0.001, 4)), "GPU-1", Scale::log);
  EXPECT_EQ(four->restraint, Unsettled::few_runs);
  const double now = head_interval(*four, four->level, 1, 0.0, 0.05).half_width;
  const int needed = runs_for_width(*four, {now * 0.75, 0.05}, 1, 0.0, 30);
  ASSERT_GT(needed, 4);
  const auto then =
      store_level(series_of("m", quiet_runs(4.27, 0.001, needed)), "GPU-1", Scale::log);
  EXPECT_LE(head_interval(*then, then->level, 1, 0.0, 0.05).half_width, now * 0.75 * 1.001);
  EXPECT_EQ(runs_for_width(*four, {now * 0.1, 0.05}, 1, 0.0, 30), 0)
      << "one more run always varies by as much as a run does";
}

std::vector<double> joined(std::vector<double> older, const std::vector<double>& newer) {
  older.insert(older.end(), newer.begin(), newer.end());
  return older;
}

TEST(StoreLevel, AMergedStepLeavesTheRunsSinceThen) {
  const auto runs = joined(quiet_runs(4.49), quiet_runs(4.60, 0.0005, 8));
  const auto level = store_level(series_of("m", runs), "GPU-1", Scale::log, 0.0015);
  EXPECT_NEAR(from_scale(level->level, Scale::log), 4.60, 1e-9);
  EXPECT_NEAR(level->run_sd, 0.0005, 1e-6);
  EXPECT_EQ(level->runs, 8);
  EXPECT_EQ(level->since_run, 11);
  EXPECT_NEAR(level->since_step, std::log(4.60 / 4.49), 1e-9);
  EXPECT_EQ(level->restraint, Unsettled::no);
}

TEST(StoreLevel, FourRunsAreALevelThatMayOnlySuspect) {
  const auto runs = joined(quiet_runs(4.49), quiet_runs(4.60, 0.0005, 4));
  const auto level = store_level(series_of("m", runs), "GPU-1", Scale::log, 0.0015);
  EXPECT_EQ(level->runs, 4);
  EXPECT_EQ(level->restraint, Unsettled::few_runs);
  const auto three = joined(quiet_runs(4.49), quiet_runs(4.60, 0.0005, 3));
  EXPECT_EQ(store_level(series_of("m", three), "GPU-1", Scale::log, 0.0015)->since_run, 0);
}

TEST(StoreLevel, NewestRunsThatLieApartWidenNothingUntilTheyAreALevel) {
  for (const int newest : {1, 2, 3}) {
    const auto runs = joined(quiet_runs(10.0), quiet_runs(10.5, 0.0001, newest));
    const auto level = store_level(series_of("m", runs), "GPU-1", Scale::log, 0.0015);
    EXPECT_EQ(level->runs, 10);
    EXPECT_NEAR(level->run_sd, 0.0005, 1e-6);
    EXPECT_NEAR(from_scale(level->level, Scale::log), 10.0, 1e-9);
    EXPECT_EQ(level->newest_apart, newest);
    EXPECT_EQ(level->apart.back(), 10 + newest);
    EXPECT_NEAR(from_scale(level->newest_level, Scale::log), 10.5, 0.01);
    const auto all = store_level(series_of("m", runs), "GPU-1", Scale::log, 0.0015, Serving::all);
    EXPECT_EQ(all->runs, 10 + newest);
    EXPECT_TRUE(all->apart.empty());
    EXPECT_GT(all->run_sd, 0.01);
  }
}

TEST(StoreLevel, ARunThatLiesApartWithinTheMarginServes) {
  const auto runs = joined(quiet_runs(10.0, 0.0001), {10.0 * 1.004});
  EXPECT_EQ(store_level(series_of("m", runs), "GPU-1", Scale::log, 0.005)->runs, 11);
  EXPECT_EQ(store_level(series_of("m", runs), "GPU-1", Scale::log, 0.003)->runs, 10);
  BaselineSeries noisy = series_of("m", runs);
  noisy.calibrated_sd_ratio = 0.002;
  EXPECT_EQ(store_level(noisy, "GPU-1", Scale::log, 0.003)->runs, 11);
}

TEST(StoreLevel, ARunThatItsProcessesExplainServes) {
  BaselineSeries series = series_of("m", joined(quiet_runs(10.0, 0.0001), {10.0 * 1.01}));
  const auto spread = [&](double sd) {
    for (BaselinePoint& point : series.points) {
      point.samples = {point.value * std::exp(-sd), point.value, point.value * std::exp(sd)};
    }
    return store_level(series, "GPU-1", Scale::log, 0.0015)->runs;
  };
  EXPECT_EQ(spread(0.001), 10);
  EXPECT_EQ(spread(0.01), 11);
}

TEST(StoreLevel, RunsOfTwoModesStayTogether) {
  std::vector<double> runs;
  for (int i = 0; i < 12; ++i) runs.push_back(4.49 * (i % 3 == 0 ? 1.0016 : 1.0));
  EXPECT_TRUE(store_level(series_of("m", runs), "GPU-1", Scale::log, 0.0015)->apart.empty());
}

TEST(StoreLevel, RunsWithoutAStepAreNeverCut) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0.0, 0.0005);
  for (int i = 0; i < 500; ++i) {
    std::vector<double> runs;
    for (int run = 0; run < 10 + i % 20; ++run) runs.push_back(4.27 * std::exp(noise(random)));
    EXPECT_EQ(store_level(series_of("m", runs), "GPU-1", Scale::log, 0.0015)->since_run, 0);
  }
}

TEST(StoreLevel, ASpikeIsNoStep) {
  for (const std::size_t at : {0U, 5U, 9U}) {
    std::vector<double> runs = quiet_runs();
    runs[at] *= 1.1;
    const auto level = store_level(series_of("m", runs), "GPU-1", Scale::log, 0.0015);
    EXPECT_EQ(level->since_run, 0);
    EXPECT_EQ(level->runs, 9);
    EXPECT_EQ(level->apart, std::vector<std::int64_t>{static_cast<std::int64_t>(at) + 1});
    EXPECT_EQ(level->newest_apart, at == 9 ? 1 : 0);
  }
}

TEST(StoreLevel, AStepThatNoVerdictTurnsOnIsNotCut) {
  const auto runs = joined(quiet_runs(4.27, 0.0001), quiet_runs(4.27 * 1.004, 0.0001, 8));
  EXPECT_EQ(store_level(series_of("m", runs), "GPU-1", Scale::log, 0.01)->runs, 18);
  EXPECT_EQ(store_level(series_of("m", runs), "GPU-1", Scale::log, 0.005)->runs, 8);
  BaselineSeries noisy = series_of("m", runs);
  noisy.calibrated_sd_ratio = 0.002;  // three of them hide it
  EXPECT_EQ(store_level(noisy, "GPU-1", Scale::log, 0.005)->runs, 18);
}

TEST(StoreLevel, TheTurnOfAnotherGpuIsNoStep) {
  BaselineSeries series =
      series_of("m", joined(quiet_runs(4.49, 0.0005, 6), quiet_runs(4.60, 0.0005, 6)));
  for (std::size_t i = 6; i < 12; ++i) series.points[i].instance = "GPU-2";
  EXPECT_EQ(store_level(series, "GPU-1", Scale::log, 0.0015)->since_run, 0);
}

TEST(StoreLevel, AStepOfDifferencesIsCutToo) {
  std::vector<double> runs;
  for (int i = 0; i < 20; ++i) runs.push_back((i < 10 ? 0.0 : 1.0) + 0.01 * (i % 2));
  const auto level = store_level(series_of("m", runs), "GPU-1", Scale::linear, 0.0015);
  EXPECT_EQ(level->since_run, 11);
  EXPECT_NEAR(level->since_step, 1.0, 1e-9);
}

}  // namespace
}  // namespace perfgate::gates
