// How runs of one GPU vary, out of stores and A/A runs of several.
#include "gates/gpu_spread.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gates/outlook.h"
#include "gates/rules/two_bound.h"
#include "tests/unit/gates/case_builder.h"

namespace perfgate::gates {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kStep = "step_time_p50";
constexpr double kMargin = 0.0015;

std::string gpu_name(std::size_t number) { return "GPU-" + std::to_string(number); }

/// `each` runs on each of `gpus` GPUs in turn, with an SD of 0.05 % on each; GPUs 1 % apart.
BaselineSeries pool(std::size_t gpus, int each) {
  BaselineSeries series = series_of(kStep, {});
  for (int run = 0; run < each; ++run) {
    for (std::size_t gpu = 1; gpu <= gpus; ++gpu) {
      const double level = 4.27 * (1.0 + 0.01 * static_cast<double>(gpu - 1));
      const double value = quiet_runs(level, 0.0005, each)[static_cast<std::size_t>(run)];
      BaselinePoint point;
      point.run = static_cast<std::int64_t>(series.points.size()) + 1;
      point.instance = gpu_name(gpu);
      point.samples = {value};
      point.value = value;
      series.points.push_back(point);
    }
  }
  return series;
}

/// Occasions of one GPU after the other, `shift` apart on the log scale, of two runs with SD
/// `within`.
void calibrate(BaselineSeries& series, std::size_t gpus, int each, double shift,
               double within = 0.001) {
  series.calibrated_sd_ratio = shift;
  for (std::size_t gpu = 1; gpu <= gpus; ++gpu) {
    for (int occasion = 0; occasion < each; ++occasion) {
      const double level = 4.27 * std::exp(shift * static_cast<double>(gpu));
      series.aa_occasions.push_back({gpu_name(gpu), quiet_runs(level, within, 2)});
    }
  }
}

TEST(GpuSpread, TheDifferenceBetweenGpusIsNoSpread) {
  const RunSpread spread = spread_on_one_gpu(pool(3, 4), "GPU-1", Scale::log, kMargin);
  EXPECT_NEAR(spread.sd, 0.0005, 1e-9);
  EXPECT_EQ(spread.degrees, 9.0);
}

TEST(GpuSpread, TwoRunsOnEachOfManyGpusAreKnownOneOnEachIsNot) {
  EXPECT_TRUE(spread_on_one_gpu(pool(2, 2), "GPU-1", Scale::log, kMargin).known());
  EXPECT_FALSE(spread_on_one_gpu(pool(1, 2), "GPU-1", Scale::log, kMargin).known());
  EXPECT_FALSE(spread_on_one_gpu(pool(8, 1), "GPU-1", Scale::log, kMargin).known());
}

TEST(GpuSpread, EightRunsOnTheOwnGpuSpeakForThemselves) {
  BaselineSeries series = pool(1, 8);
  BaselineSeries noisy = series_of(kStep, quiet_runs(4.3, 0.01, 6));
  for (BaselinePoint& point : noisy.points) {
    point.instance = "GPU-2";
    series.points.push_back(point);
  }
  EXPECT_NEAR(spread_on_one_gpu(series, "GPU-1", Scale::log, kMargin).sd, 0.0005, 1e-9);
  EXPECT_GT(spread_on_one_gpu(series, "GPU-3", Scale::log, kMargin).sd, 0.005);
}

TEST(GpuSpread, AStepThatOneGpuSawAndAnUnknownGpuAreNoSpread) {
  BaselineSeries series = pool(1, 6);
  for (BaselinePoint& point : pool(1, 6).points) {
    point.run += 6;
    point.value *= 1.05;
    point.samples = {point.value};
    series.points.push_back(point);
  }
  for (BaselinePoint& point : series.points) point.instance = "GPU-2";
  series.points.push_back(pool(1, 1).points.front());
  series.points.push_back(pool(1, 1).points.front());
  series.points.back().instance.clear();
  series.points.back().value *= 1.2;
  const RunSpread spread = spread_on_one_gpu(series, "GPU-1", Scale::log, kMargin);
  EXPECT_NEAR(spread.sd, 0.0005, 1e-9);
  EXPECT_EQ(spread.degrees, 5.0);
}

TEST(GpuSpread, ACalibrationOnSeveralGpusCountsWithoutTheirDifference) {
  BaselineSeries series = pool(1, 10);
  calibrate(series, 3, 3, 0.01);
  const RunSpread one = calibrated_spread(series, Scale::log, Gpus::one);
  EXPECT_NEAR(one.sd, 0.001, 1e-9);
  EXPECT_EQ(one.degrees, kCalibrationDegrees);
  EXPECT_EQ(calibrated_spread(series, Scale::log, Gpus::several).sd, 0.01);
  EXPECT_NEAR(store_level(series, "GPU-1", Scale::log)->run_sd, 0.001, 1e-9);
  EXPECT_EQ(store_level(series, "GPU-9", Scale::log)->run_sd, 0.01) << "another GPU may be slower";
}

TEST(GpuSpread, OneOccasionAGpuIsAFloorAndNoCalibration) {
  BaselineSeries series = pool(1, 1);
  calibrate(series, 3, 1, 0.01);
  EXPECT_NEAR(calibrated_spread(series, Scale::log, Gpus::one).sd, 0.001, 1e-9);
  EXPECT_EQ(store_level(series, "GPU-1", Scale::log)->degrees, 0.0);
}

TEST(GpuSpread, WhereNobodyKnowsTheGpusTheCalibrationStaysWhole) {
  BaselineSeries series = pool(1, 10);
  series.calibrated_sd_ratio = 0.01;
  EXPECT_EQ(calibrated_spread(series, Scale::log, Gpus::one).sd, 0.01);
  calibrate(series, 3, 2, 0.01);
  for (AaOccasion& occasion : series.aa_occasions) occasion.instance.clear();
  EXPECT_EQ(calibrated_spread(series, Scale::log, Gpus::one).sd, 0.01);
}

TEST(GpuSpread, ASessionBesideAStoreOfSeveralGpusFindsWhatOneGpuShows) {
  Session session = session_of(1.01, 8, 0.0, gate_of(kStep));
  session.history = {pool(3, 4)};
  const Comparison row = session.screened().comparisons.at(0);
  EXPECT_NEAR(row.margin_ratio, kLeastAutoMargin, 1e-9);
  EXPECT_EQ(row.outcome, Outcome::suspected) << row.reason;
  calibrate(session.history[0], 3, 3, 0.01);
  EXPECT_NEAR(session.screened().comparisons.at(0).margin_ratio, 0.003, 1e-9);
}

TEST(GpuSpread, WithABaseAtHandAStoreOfSeveralGpusPassesLess) {
  const GateSpec gate = gate_of(kStep);
  const MetricValue head = metric_of(kStep, {4.27 * 1.015});
  const BaselineSeries base = pool(3, 4);
  MetricCase metric = case_of(gate, head, base);
  EXPECT_EQ(judge_two_bound(metric).comparison.outcome, Outcome::pass);
  metric.base_at_hand = true;
  const Comparison row = judge_two_bound(metric).comparison;
  EXPECT_EQ(row.outcome, Outcome::inconclusive) << row.reason;
  EXPECT_NEAR(row.margin_ratio, kLeastAutoMargin, 1e-9);
}

TEST(GpuSpread, TheRowSaysThatRunsOnThisGpuServeAlone) {
  BaselineSeries base = pool(1, 8);
  for (BaselinePoint& point : pool(2, 1).points) {
    if (point.instance == "GPU-2") base.points.push_back(point);
  }
  base.pinned = 4.2;
  base.pinned_instance = "GPU-2";
  const GateSpec gate = gate_of(kStep);
  const MetricValue head = metric_of(kStep, {4.27});
  MetricDecision decision = judge_two_bound(case_of(gate, head, base));
  EXPECT_EQ(decision.comparison.n_base, 8);
  EXPECT_EQ(decision.comparison.other_gpu_runs, 1);
  EXPECT_THAT(decision.comparison.reason,
              HasSubstr("; 8 runs on this GPU, 1 run of other GPUs is left out"));
  EXPECT_THAT(decision.notes, IsEmpty()) << "that GPU may be faster";
  base.pinned_instance = "GPU-1";
  EXPECT_EQ(judge_two_bound(case_of(gate, head, base)).notes.size(), 1U);
}

TEST(GpuSpread, TheOutlookOfASessionHasTheMarginOfOneGpu) {
  WorkloadSpec spec;
  spec.timing.processes = {5};
  spec.gates = {gate_of(kStep)};
  const BaselineSeries base = pool(3, 4);
  const Outlook outlook = outlook_of(
      {.spec = spec, .gate = spec.gates.front(), .base = base, .head_instance = "GPU-1"});
  EXPECT_GT(outlook.margin->ratio, 0.02);
  ASSERT_TRUE(outlook.session_from.has_value());
  EXPECT_LT(outlook.session_from->ratio, outlook.margin->ratio);
}

}  // namespace
}  // namespace perfgate::gates
