// The run-to-run SD out of A/A runs is the true one, with the luck of an occasion in it.
#include "gates/noise.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace perfgate::gates {
namespace {

using Occasions = std::vector<std::vector<double>>;

struct Truth {
  double within = 0.0;
  double between = 0.0;
};

Occasions drawn(std::mt19937_64& random, const Truth& truth, const std::vector<int>& runs) {
  std::normal_distribution<double> normal;
  Occasions occasions;
  for (const int count : runs) {
    const double luck = truth.between * normal(random);
    std::vector<double>& values = occasions.emplace_back();
    for (int i = 0; i < count; ++i) {
      values.push_back(4.27 * std::exp(luck + truth.within * normal(random)));
    }
  }
  return occasions;
}

/// Root of the mean variance over many draws, against the truth.
double ratio_to_truth(const Truth& truth, const std::vector<int>& runs) {
  constexpr int kDraws = 3000;
  std::mt19937_64 random(17);
  double variance = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    const RunNoise noise = run_noise(drawn(random, truth, runs));
    variance += noise.sd * noise.sd / kDraws;
  }
  return std::sqrt(variance) / std::hypot(truth.within, truth.between);
}

TEST(RunNoise, IsTheTrueOneOverManyDraws) {
  EXPECT_NEAR(ratio_to_truth({.within = 0.001, .between = 0.002}, {8, 8, 8}), 1.0, 0.03);
  EXPECT_NEAR(ratio_to_truth({.within = 0.002, .between = 0.001}, {8, 8, 8, 8, 8}), 1.0, 0.03);
  EXPECT_NEAR(ratio_to_truth({.within = 0.001, .between = 0.001}, {4, 12, 8, 3}), 1.0, 0.03);
  // Without any luck of occasions "never negative" costs a little.
  EXPECT_NEAR(ratio_to_truth({.within = 0.001, .between = 0.0}, {8, 8, 8}), 1.0, 0.04);
}

TEST(RunNoise, SplitsTheVarianceByTheFormula) {
  // Logs: means 1 and 3, squares within 2 x 2 = 4 over 2 degrees; MSO = 4, n0 = 2.
  const RunNoise noise =
      run_noise(Occasions{{std::exp(0.0), std::exp(2.0)}, {std::exp(2.0), std::exp(4.0)}});
  EXPECT_EQ(noise.scale, Scale::log);
  EXPECT_EQ(noise.runs, 4);
  EXPECT_EQ(noise.occasions, 2);
  EXPECT_NEAR(noise.within_variance, 2.0, 1e-12);
  EXPECT_NEAR(noise.between_variance, 1.0, 1e-12);
  EXPECT_NEAR(noise.sd, std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(noise.level, std::exp(2.0), 1e-9);
}

TEST(RunNoise, OneOccasionShowsItsOwnSpreadOnly) {
  const RunNoise noise = run_noise(Occasions{{std::exp(1.0), std::exp(3.0)}});
  EXPECT_EQ(noise.between_variance, 0.0);
  EXPECT_NEAR(noise.sd, std::sqrt(2.0), 1e-12);
}

TEST(RunNoise, OneRunAnOccasionIsTheSpreadOfThose) {
  const RunNoise noise = run_noise(Occasions{{std::exp(1.0)}, {std::exp(2.0)}, {std::exp(3.0)}});
  EXPECT_EQ(noise.within_variance, 0.0);
  EXPECT_NEAR(noise.sd, 1.0, 1e-12);
}

TEST(RunNoise, OccasionsThatAgreeAreNeverNegative) {
  const RunNoise noise = run_noise(Occasions{{1.0, 2.0, 3.0}, {3.0, 1.0, 2.0}, {2.0, 3.0, 1.0}});
  EXPECT_EQ(noise.between_variance, 0.0);
  EXPECT_GT(noise.sd, 0.0);
}

TEST(RunNoise, AZeroMakesTheScaleLinear) {
  const RunNoise noise = run_noise(Occasions{{0.0, 2.0}, {2.0, 4.0}});
  EXPECT_EQ(noise.scale, Scale::linear);
  EXPECT_NEAR(noise.level, 2.0, 1e-12);
  EXPECT_NEAR(noise.sd, std::sqrt(3.0), 1e-12);
  EXPECT_EQ(auto_margin_ratio(run_noise(Occasions{{0.0, 0.0}})), 0.0);
}

TEST(RunNoise, NothingIsNoNoise) {
  EXPECT_EQ(run_noise(Occasions{}).runs, 0);
  EXPECT_EQ(run_noise(Occasions{{}, {}}).occasions, 0);
}

TEST(RunNoise, OnOneGpuTheDifferenceBetweenGpusIsLeftOut) {
  // Logs 0 2 and 2 4 about 2 on one GPU (the case above), the same 10 higher on the other.
  const auto at = [](double log) { return std::vector{std::exp(log), std::exp(log + 2.0)}; };
  const std::vector<AaOccasion> occasions{
      {"A", at(0.0)}, {"A", at(2.0)}, {"B", at(10.0)}, {"B", at(12.0)}, {"", at(50.0)}};
  const RunNoise noise = run_noise_on_one_gpu(occasions);
  EXPECT_EQ(noise.gpus, 2);
  EXPECT_EQ(noise.occasions, 4);
  EXPECT_EQ(noise.runs, 8);
  EXPECT_DOUBLE_EQ(noise.within_variance, 2.0);
  EXPECT_DOUBLE_EQ(noise.between_variance, 1.0) << "MSO 4, MSE 2, n0 2";
  EXPECT_EQ(run_noise_on_one_gpu(std::vector<AaOccasion>{{"", at(1.0)}}).runs, 0);
}

TEST(RunNoise, TheAutomaticMarginFollowsWithinItsBounds) {
  RunNoise noise{.sd = 0.001};
  EXPECT_DOUBLE_EQ(auto_margin_ratio(noise), 0.003);
  noise.sd = 0.0001;
  EXPECT_DOUBLE_EQ(auto_margin_ratio(noise), 0.0015);
  noise.sd = 0.1;
  EXPECT_DOUBLE_EQ(auto_margin_ratio(noise), 0.05);
}

}  // namespace
}  // namespace perfgate::gates
