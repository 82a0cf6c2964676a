// Which runs the trend takes: GPUs, pins that are gone, counts.
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "gates/trend.h"
#include "tests/unit/gates/trend_builder.h"

namespace perfgate::gates {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(TrendRuns, RunsOfOtherGpusAreLeftOutWhereOneHasEnough) {
  Random random(14);
  TrendInput input = input_of(quiet(random, 40));
  for (std::size_t i = 1; i < input.history.points.size(); i += 2) {
    input.history.points[i].instance = "GPU-2";
    input.history.points[i].value *= 1.008;  // as three H200s differ
  }
  pin(input, 9);
  const TrendMetric metric = watched(input);
  EXPECT_EQ(metric.state, TrendState::steady);
  EXPECT_EQ(metric.other_gpu_runs, 20);
  EXPECT_THAT(metric.values, SizeIs(20));
  EXPECT_THAT(metric.changes, IsEmpty());
}

TEST(TrendRuns, FewRunsOfFewGpusAreNoTrend) {
  Random random(15);
  TrendInput input = input_of(quiet(random, 14));
  for (std::size_t i = 7; i < 14; ++i) {
    input.history.points[i].instance = "GPU-2";
    input.history.points[i].value *= 1.008;
  }
  pin(input, 1);
  EXPECT_EQ(watched(input).state, TrendState::mixed_gpus);
}

TEST(TrendRuns, RunsOfManyGpusServeTogetherAndTheirDifferenceIsNoise) {
  Random random(16);
  TrendInput input = input_of(quiet(random, 42));
  for (std::size_t i = 0; i < 42; ++i) {
    input.history.points[i].instance = "GPU-" + std::to_string(i % 7);
    input.history.points[i].value *= 1.0 + 0.002 * static_cast<double>(i * 3 % 7 % 4);
  }
  pin(input, 10);
  const TrendMetric metric = watched(input);
  EXPECT_EQ(metric.state, TrendState::steady);
  EXPECT_EQ(metric.gpus, 7);
}

TEST(TrendRuns, APinOfAGpuThatIsGoneIsNotCompared) {
  Random random(17);
  TrendInput input = input_of(quiet(random, 30));
  for (std::size_t i = 0; i < 30; ++i)
    input.history.points[i].instance = i < 12 ? "GPU-1" : "GPU-2";
  pin(input, 5);
  const TrendMetric metric = watched(input);
  EXPECT_EQ(metric.state, TrendState::pinned_elsewhere);
  EXPECT_FALSE(metric.accepted.has_value());
}

TEST(TrendRuns, APinBeforeAllRunsThatAreLookedAtStillHolds) {
  Random random(18);
  TrendInput input = input_of(quiet(random, 40, 1.03 * kLevelMs));
  input.history.pinned = kLevelMs;
  input.pin = TrendPin{.at = {.run = -7, .commit = "old", .utc = "2025-01-01T00:00:00Z"},
                       .set_utc = "2025-01-01T00:00:00Z",
                       .reason = "first level"};
  const TrendMetric metric = watched(input);
  EXPECT_EQ(metric.state, TrendState::breach);
  EXPECT_NEAR(*metric.change_ratio, 0.03, 0.001);
  EXPECT_EQ(metric.before.commit, "old");
}

TrendInput counts_of(const std::vector<double>& values) {
  TrendInput input = input_of(values, "kernel_launches");
  input.kind = MetricKind::counted;
  input.history.unit = "1";
  input.gate.exact = true;
  return input;
}

TEST(TrendRuns, ACountIsHeldAgainstTheAcceptedOneExactly) {
  TrendInput input = counts_of({228, 228, 228, 230, 230});
  EXPECT_EQ(watched(input).state, TrendState::stepped);
  pin(input, 2);
  const TrendMetric metric = watched(input);
  EXPECT_EQ(metric.state, TrendState::breach);
  EXPECT_EQ(metric.since.run, 4);
  EXPECT_EQ(metric.before.run, 3);
  EXPECT_EQ(metric.threshold, 0.0) << "a count has no noise to sum up";
  input.gate.exact = false;
  input.gate.slack = 2;
  EXPECT_EQ(watched(input).state, TrendState::steady);
  pin(input, 4);
  input.gate.slack.reset();
  EXPECT_EQ(watched(input).state, TrendState::steady);
}

}  // namespace
}  // namespace perfgate::gates
