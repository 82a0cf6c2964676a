// Creep is seen, and its false alarms come as seldom as the header promises.
#include "gates/drift.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace perfgate::gates {
namespace {

using Random = std::mt19937_64;

double normal(Random& random) { return std::normal_distribution<double>()(random); }

double simulated_run_length(double threshold, int draws) {
  Random random(11);
  double points = 0.0;
  for (int i = 0; i < draws; ++i) {
    double sum = 0.0;
    do {
      sum = cusum_next(sum, normal(random));
      points += 1.0;
    } while (sum <= threshold);
  }
  return points / draws;
}

TEST(Drift, TheRunLengthIsTheSimulatedOne) {
  for (const double threshold : {3.0, 5.0, 6.0}) {
    const double simulated = simulated_run_length(threshold, 600);
    EXPECT_NEAR(cusum_run_length(threshold) / simulated, 1.0, 0.15) << threshold;
  }
}

TEST(Drift, AllMetricsTogetherAlarmOnceInAThousandPoints) {
  for (const int metrics : {1, 8, 72}) {
    EXPECT_NEAR(cusum_run_length(cusum_threshold(metrics)) / metrics, kPointsToFalseAlarm, 0.01);
  }
  EXPECT_NEAR(cusum_threshold(1), 5.06, 0.01);
  EXPECT_NEAR(cusum_threshold(72), 9.35, 0.05);
  EXPECT_EQ(cusum_threshold(0), cusum_threshold(1));
  const double simulated = simulated_run_length(cusum_threshold(8), 300);
  EXPECT_NEAR(simulated / (8.0 * kPointsToFalseAlarm), 1.0, 0.15);
}

std::vector<double> series_of(Random& random, std::size_t points, double slope, double rho = 0.0) {
  std::vector<double> series;
  double x = normal(random);
  for (std::size_t i = 0; i < points; ++i) {
    series.push_back(x + slope * static_cast<double>(i));
    x = rho * x + std::sqrt(1.0 - rho * rho) * normal(random);
  }
  return series;
}

TEST(Drift, ASlowCreepIsSeenWithItsBeginning) {
  Random random(2);
  std::vector<double> series = series_of(random, 60, 0.0);
  for (std::size_t i = 30; i < series.size(); ++i) series[i] += 0.1 * static_cast<double>(i - 30);
  const Drift found = drift(series, {.pinned = 0.0, .sd = 1.0, .margin = 1.5, .metrics = 8});
  ASSERT_TRUE(found.creeping());
  EXPECT_GE(*found.since, 25U);
  EXPECT_LE(*found.since, 45U);
  EXPECT_TRUE(found.beyond_margin);
}

TEST(Drift, ACertainCreepWithinTheMarginIsToldApart) {
  const std::vector<double> series(40, 1.0);
  const Drift found = drift(series, {.pinned = 0.0, .sd = 1.0, .margin = 3.0});
  EXPECT_TRUE(found.creeping());
  EXPECT_FALSE(found.beyond_margin);
  EXPECT_EQ(found.recent_shift, 1.0);
}

TEST(Drift, AnImprovementIsNone) {
  const std::vector<double> series(40, -2.0);
  const Drift found = drift(series, {.pinned = 0.0, .sd = 1.0, .margin = 1.0});
  EXPECT_FALSE(found.creeping());
  EXPECT_FALSE(found.beyond_margin);
}

TEST(Drift, OneThatWasMendedIsNoneAnyMore) {
  std::vector<double> series(30, 1.5);
  EXPECT_TRUE(drift(series, {.sd = 1.0, .margin = 1.0}).creeping());
  series.insert(series.end(), 60, 0.0);
  EXPECT_FALSE(drift(series, {.sd = 1.0, .margin = 1.0}).creeping());
}

TEST(Drift, FewPointsSayNothingOfTheRecentLevel) {
  const std::vector<double> series(6, 5.0);
  const Drift found = drift(series, {.sd = 1.0, .margin = 1.0});
  EXPECT_FALSE(found.recent_shift.has_value());
  EXPECT_FALSE(found.beyond_margin);
  EXPECT_EQ(drift({}, {.sd = 1.0}).sum, 0.0);
}

// Half an SD above k adds up within twenty points; what is not known of the pin does not.
TEST(Drift, TheUncertaintyOfThePinIsNoCreep) {
  const std::vector<double> series(40, 1.0);
  EXPECT_TRUE(drift(series, {.pinned = 0.0, .sd = 1.0, .margin = 3.0}).creeping());
  const Drift found = drift(series, {.pinned = 0.0, .sd = 1.0, .margin = 0.9, .uncertainty = 0.6});
  EXPECT_FALSE(found.creeping());
  EXPECT_EQ(found.recent_shift, 1.0);
  EXPECT_TRUE(found.beyond_margin);
}

TEST(Drift, TheCorrelationOfALongerSeriesCountsWhereItIsGiven) {
  const std::vector<double> series(20, 2.0);
  const double alone = drift(series, {.sd = 1.0}).sum;
  EXPECT_LT(drift(series, {.sd = 1.0, .correlation = 0.5}).sum, alone);
}

/// Of 300 series of 100 points that do not drift, how many end in an alarm.
int alarms(double rho) {
  Random random(5);
  int count = 0;
  for (int i = 0; i < 300; ++i) {
    if (drift(series_of(random, 100, 0.0, rho), {.sd = 1.0, .margin = 9.0}).creeping()) ++count;
  }
  return count;
}

// Without the deflation more than a tenth of the correlated ones end in an alarm.
TEST(Drift, AutocorrelationRaisesNoAlarms) {
  EXPECT_LE(alarms(0.0), 6);
  EXPECT_LE(alarms(0.6), 12);
}

}  // namespace
}  // namespace perfgate::gates
