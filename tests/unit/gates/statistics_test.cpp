// The formulas agree with tables and with figures computed by hand.
#include "gates/statistics.h"

#include <array>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace perfgate::gates {
namespace {

TEST(StudentT, AgreesWithTheTables) {
  EXPECT_NEAR(student_t_quantile(0.975, 2), 4.303, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.975, 4), 2.776, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.975, 7), 2.365, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.975, 11), 2.201, 5e-4);
  EXPECT_NEAR(student_t_upper_tail(2.77645, 4), 0.025, 1e-6);
  EXPECT_DOUBLE_EQ(student_t_upper_tail(0.0, 3), 0.5);
  EXPECT_EQ(student_t_upper_tail(INFINITY, 3), 0.0);
  EXPECT_EQ(student_t_upper_tail(-INFINITY, 3), 1.0);
}

TEST(Summary, OfFourValues) {
  const std::array values{4.0, 1.0, 3.0, 2.0};
  EXPECT_DOUBLE_EQ(median(values), 2.5);
  EXPECT_DOUBLE_EQ(mean(values), 2.5);
  EXPECT_NEAR(sample_sd(values), std::sqrt(5.0 / 3.0), 1e-12);
  EXPECT_EQ(sample_sd(std::array{7.0}), 0.0);
}

TEST(Pocock, LevelsOfOneToFiveLooks) {
  EXPECT_EQ(pocock_level(1), 0.05);
  EXPECT_EQ(pocock_level(2), 0.0294);
  EXPECT_EQ(pocock_level(3), 0.0221);
  EXPECT_EQ(pocock_level(5), 0.0158);
  EXPECT_LE(pocock_level(10), 0.005);
  EXPECT_EQ(pocock_level(0), 0.05);
}

TEST(MedianVariance, AgreesWithSimulation) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (const int n : {3, 5, 8, 12}) {
    double squares = 0.0;
    constexpr int kDraws = 20'000;
    std::vector<double> values(static_cast<std::size_t>(n));
    for (int i = 0; i < kDraws; ++i) {
      for (double& value : values) value = normal(random);
      const double m = median(values);
      squares += m * m;
    }
    EXPECT_NEAR(n * squares / kDraws, median_variance_factor(n), 0.05) << n;
  }
}

TEST(Welch, AgreesWithAHandComputedExample) {
  // base: mean 2, variance 1, n 3; head: mean 6, variance 4, n 3. se^2 = 1/3 + 4/3,
  // df = (5/3)^2 / ((1/3)^2/2 + (4/3)^2/2) = 2.9412.
  const Interval interval =
      welch_interval(std::array{1.0, 2.0, 3.0}, std::array{4.0, 6.0, 8.0}, 0.05);
  EXPECT_DOUBLE_EQ(interval.estimate, 4.0);
  EXPECT_NEAR(interval.standard_error, std::sqrt(5.0 / 3.0), 1e-12);
  EXPECT_NEAR(interval.degrees, 25.0 / 8.5, 1e-12);
  EXPECT_NEAR(interval.half_width, student_t_quantile(0.975, 25.0 / 8.5) * std::sqrt(5.0 / 3.0),
              1e-12);
}

TEST(Welch, WithoutSpreadHasNoWidth) {
  const Interval interval = welch_interval(std::array{1.0, 1.0}, std::array{2.0, 2.0}, 0.05);
  EXPECT_EQ(interval.half_width, 0.0);
  EXPECT_EQ(interval.estimate, 1.0);
}

TEST(Holm, StepsDownAndStopsAtTheFirstThatFails) {
  // Sorted: .001 <= .05/4, .013 <= .05/3, .03 > .05/2: stop; .04 is not asked although below .05.
  const auto rejects = holm_rejects(std::array{0.03, 0.001, 0.04, 0.013}, 0.05);
  EXPECT_EQ(rejects, (std::vector<bool>{false, true, false, true}));
  EXPECT_TRUE(holm_rejects({}, 0.05).empty());
  EXPECT_FALSE(holm_rejects(std::array{std::nan("")}, 0.05)[0]) << "NaN rejects nothing";
}

std::vector<double> autoregressive(double rho, std::size_t length, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> series{normal(random)};
  while (series.size() < length) {
    series.push_back(rho * series.back() + std::sqrt(1.0 - rho * rho) * normal(random));
  }
  return series;
}

TEST(LagCorrelation, FindsWhatIsThere) {
  EXPECT_NEAR(lag_correlation(autoregressive(0.0, 4000, 1)), 0.0, 0.06);
  EXPECT_NEAR(lag_correlation(autoregressive(0.5, 4000, 2)), 0.5, 0.08);
  EXPECT_NEAR(lag_correlation(autoregressive(0.8, 4000, 3)), 0.8, 0.08);
}

TEST(LagCorrelation, AStepDoesNotLookLikeCorrelation) {
  std::vector<double> series = autoregressive(0.0, 400, 4);
  for (std::size_t i = 200; i < series.size(); ++i) series[i] += 20.0;
  EXPECT_LT(lag_correlation(series), 0.15);
}

TEST(LagCorrelation, StaysWithinItsBounds) {
  EXPECT_EQ(lag_correlation(std::array{1.0, 2.0, 3.0}), 0.0) << "too short to tell";
  EXPECT_EQ(lag_correlation(std::vector<double>(20, 1.0)), 0.0);
  std::vector<double> line;
  for (int i = 0; i < 20; ++i) line.push_back(i * 1.0 + (i % 7) * 0.01);
  EXPECT_LE(lag_correlation(line), 0.9);
}

TEST(DifferenceSd, NeitherCreepNorAStepWidensIt) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> series;
  for (int i = 0; i < 400; ++i)
    series.push_back(normal(random) + 0.05 * i + (i < 200 ? 0.0 : 40.0));
  EXPECT_NEAR(difference_sd(series, 0.0), 1.0, 0.15);
  EXPECT_GT(sample_sd(series), 10.0);
  EXPECT_EQ(difference_sd(std::vector<double>(10, 4.0), 0.5), 0.0);
  EXPECT_EQ(difference_sd(std::vector<double>{1.0, 2.0}, 0.0), 0.0);
}

}  // namespace
}  // namespace perfgate::gates
