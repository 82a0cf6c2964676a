// A step is found where it is, and series without one show none oftener than the header says.
#include "gates/change_point.h"

#include <cmath>
#include <functional>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perfgate::gates {
namespace {

using Random = std::mt19937_64;
using Series = std::vector<double>;

constexpr double kCv = 0.01;
constexpr int kPoints = 100;
constexpr int kDraws = 400;

double normal(Random& random) { return std::normal_distribution<double>()(random); }
double uniform(Random& random) { return std::uniform_real_distribution<double>()(random); }

Series independent(Random& random) {
  Series series;
  for (int i = 0; i < kPoints; ++i) series.push_back(kCv * normal(random));
  return series;
}

Series autoregressive(Random& random) {
  constexpr double kRho = 0.5;
  Series series;
  double x = normal(random);
  for (int i = 0; i < kPoints; ++i) {
    series.push_back(kCv * x);
    x = kRho * x + std::sqrt(1.0 - kRho * kRho) * normal(random);
  }
  return series;
}

/// Skewness 1.75, SD as the others.
Series log_normal(Random& random) {
  constexpr double kSigma = 0.5;
  const double centre = std::exp(kSigma * kSigma / 2.0);
  const double sd = centre * std::sqrt(std::expm1(kSigma * kSigma));
  Series series;
  for (int i = 0; i < kPoints; ++i) {
    series.push_back(kCv * (std::exp(kSigma * normal(random)) - centre) / sd);
  }
  return series;
}

/// Two modes that stay for five points on average.
Series sticky_bimodal(Random& random) {
  Series series;
  double mode = 1.0;
  for (int i = 0; i < kPoints; ++i) {
    if (uniform(random) < 0.2) mode = -mode;
    series.push_back(kCv * (0.8 * mode + 0.6 * normal(random)));
  }
  return series;
}

/// Three in a hundred are ten SDs slow.
Series spiky(Random& random) {
  Series series = independent(random);
  for (double& x : series) {
    if (uniform(random) < 0.03) x += 10.0 * kCv;
  }
  return series;
}

/// Per cent of series with any change point.
double false_share(const std::function<Series(Random&)>& draw, double least_step) {
  Random random(20260);
  int found = 0;
  for (int i = 0; i < kDraws; ++i) {
    if (!change_points(draw(random), {.least_step = least_step}).empty()) ++found;
  }
  return 100.0 * found / kDraws;
}

// With the pooled t alone, 4000 repetitions gave 1.5, 5.7, 1.6, 26 and 0.8 %.
TEST(ChangePoint, SeriesWithoutAChangeShowNone) {
  EXPECT_LE(false_share(independent, 0.0), 2.5);
  EXPECT_LE(false_share(autoregressive, 0.0), 8.0);
  EXPECT_LE(false_share(log_normal, 0.0), 2.5);
  EXPECT_LE(false_share(sticky_bimodal, 0.0), 28.0);
  EXPECT_LE(false_share(spiky, 0.0), 2.0);
}

// With a least step of 2 %: 0, 0.4, 0.5, 0 and 0.2 %.
TEST(ChangePoint, ALeastStepKeepsOutWhatNoiseCanDo) {
  const double two_percent = std::log1p(0.02);
  EXPECT_LE(false_share(independent, two_percent), 0.5);
  EXPECT_LE(false_share(autoregressive, two_percent), 1.5);
  EXPECT_LE(false_share(log_normal, two_percent), 1.5);
  EXPECT_LE(false_share(sticky_bimodal, two_percent), 1.5);
  EXPECT_LE(false_share(spiky, two_percent), 1.0);
}

std::vector<std::size_t> places(const Series& series, const ChangePointOptions& options = {}) {
  std::vector<std::size_t> all;
  for (const ChangePoint& point : change_points(series, options)) all.push_back(point.at);
  return all;
}

TEST(ChangePoint, ACleanStepIsFoundAtItsPlace) {
  for (const std::size_t at : {4U, 20U, 49U, 50U, 75U, 96U}) {
    Random random(at);
    Series series = independent(random);
    for (std::size_t i = at; i < series.size(); ++i) series[i] += 10.0 * kCv;
    EXPECT_THAT(places(series), ::testing::ElementsAre(at));
  }
}

TEST(ChangePoint, SaysTheLevelsBesideIt) {
  const auto points = change_points(Series{1, 2, 1, 2, 1, 2, 11, 12, 11, 12});
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points.front().at, 6U);
  EXPECT_DOUBLE_EQ(points.front().before, 1.5);
  EXPECT_DOUBLE_EQ(points.front().after, 11.5);
  EXPECT_LT(points.front().p_value, 0.001);
}

TEST(ChangePoint, SeveralStepsAreFound) {
  Random random(1);
  Series series = independent(random);
  for (std::size_t i = 30; i < series.size(); ++i) series[i] += 8.0 * kCv;
  for (std::size_t i = 60; i < series.size(); ++i) series[i] -= 16.0 * kCv;
  EXPECT_THAT(places(series), ::testing::ElementsAre(30U, 60U));
}

TEST(ChangePoint, AStepOfTwoSdsIsMostlySeenTenPointsLater) {
  Random random(7);
  int seen = 0;
  for (int i = 0; i < 200; ++i) {
    Series series = independent(random);
    series.resize(80);
    for (std::size_t k = 70; k < series.size(); ++k) series[k] += 2.0 * kCv;
    if (!change_points(series).empty()) ++seen;
  }
  EXPECT_GE(seen, 120);
}

TEST(ChangePoint, ASpikeOrThreeIsNoLevel) {
  for (int spikes = 1; spikes <= 3; ++spikes) {
    Random random(3);
    Series series = independent(random);
    series.resize(40);
    for (int i = 0; i < spikes; ++i) series.rbegin()[i] += 20.0 * kCv;
    EXPECT_THAT(places(series), ::testing::IsEmpty()) << spikes;
  }
}

TEST(ChangePoint, AStepBelowTheLeastOneIsNone) {
  const Series series{1, 2, 1, 2, 1, 2, 11, 12, 11, 12};
  EXPECT_TRUE(change_points(series, {.least_step = 10.5}).empty());
  EXPECT_FALSE(change_points(series, {.least_step = 9.5}).empty());
  EXPECT_TRUE(change_points(series, {.least_sds = 30.0}).empty());
  EXPECT_FALSE(change_points(series, {.least_sds = 10.0}).empty());
}

TEST(ChangePoint, ConstantAndShortSeriesHaveNone) {
  EXPECT_TRUE(change_points(Series{}).empty());
  EXPECT_TRUE(change_points(Series{1, 1, 1, 9, 9, 9, 9}).empty());
  EXPECT_TRUE(change_points(Series(60, 4.27)).empty());
}

TEST(ChangePoint, AStepBetweenConstantsNeedsNoSpread) {
  EXPECT_THAT(places(Series{1, 1, 1, 1, 2, 2, 2, 2}), ::testing::ElementsAre(4U));
}

}  // namespace
}  // namespace perfgate::gates
