// The CPU reference is what the GPU is compared with; these values are worked out by hand.
#include "workloads/builtin/reference_ops.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perfgate::builtin {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

constexpr double kTight = 1e-12;

TEST(RmsNorm, DividesByTheRootOfTheMeanSquareAndScales) {
  // mean square of (3, 4) is 12.5
  const Doubles normed = rms_norm(Doubles{3.0, 4.0}, std::vector<float>{1.0F, 2.0F}, 0.0);
  EXPECT_NEAR(normed[0], 3.0 / std::sqrt(12.5), kTight);
  EXPECT_NEAR(normed[1], 8.0 / std::sqrt(12.5), kTight);
}

TEST(RmsNorm, EpsilonKeepsAZeroRowFinite) {
  EXPECT_THAT(rms_norm(Doubles{0.0, 0.0}, std::vector<float>{1.0F, 1.0F}, 1e-5),
              ElementsAre(0.0, 0.0));
}

TEST(Project, MultipliesRowsOfTheWeight) {
  const std::vector<float> weight{1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F};  // [3, 2]
  EXPECT_THAT(project(weight, Doubles{10.0, 1.0}), ElementsAre(12.0, 34.0, 56.0));
}

TEST(Rotate, PositionZeroChangesNothing) {
  Doubles head{1.0, 2.0, 3.0, 4.0};
  rotate(head, 0, 10000.0);
  EXPECT_THAT(head, ElementsAre(1.0, 2.0, 3.0, 4.0));
}

TEST(Rotate, TurnsPairsHalfAHeadApart) {
  Doubles head{1.0, 0.0, 0.0, 1.0};  // pairs (0, 2) and (1, 3)
  rotate(head, 2, 100.0);            // angles 2 and 2 x 100^(-1/2) = 0.2
  EXPECT_THAT(head,
              ElementsAre(DoubleNear(std::cos(2.0), kTight), DoubleNear(-std::sin(0.2), kTight),
                          DoubleNear(std::sin(2.0), kTight), DoubleNear(std::cos(0.2), kTight)));
}

TEST(Rotate, ScoresDependOnTheDistanceOnly) {
  const auto score = [](std::int64_t query_at, std::int64_t key_at) {
    Doubles query{0.3, -1.0, 0.7, 0.2};
    Doubles key{1.1, 0.4, -0.5, 0.9};
    rotate(query, query_at, 500000.0);
    rotate(key, key_at, 500000.0);
    double sum = 0.0;
    for (std::size_t i = 0; i < query.size(); ++i) sum += query[i] * key[i];
    return sum;
  };
  EXPECT_NEAR(score(9, 4), score(105, 100), 1e-9);
  EXPECT_GT(std::abs(score(9, 4) - score(9, 5)), 1e-3);
}

TEST(Attend, WeighsValuesByTheSoftmaxOfTheScores) {
  // scores 2 x 1 / sqrt(4) = 1 and 0: weights e / (e + 1) and 1 / (e + 1)
  const Doubles query{2.0, 0.0, 0.0, 0.0};
  const Doubles keys{1.0, 0.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0};
  const Doubles values{1.0, 0.0, 0.0, 8.0, 0.0, 1.0, 0.0, 8.0};
  const double first = std::exp(1.0) / (std::exp(1.0) + 1.0);
  EXPECT_THAT(attend(query, keys, values),
              ElementsAre(DoubleNear(first, kTight), DoubleNear(1.0 - first, kTight),
                          DoubleNear(0.0, kTight), DoubleNear(8.0, kTight)));
}

TEST(Attend, OfOneKeyIsItsValue) {
  EXPECT_THAT(attend(Doubles{5.0, 6.0}, Doubles{900.0, 900.0}, Doubles{7.0, -7.0}),
              ElementsAre(7.0, -7.0));
}

TEST(GatedSilu, MultipliesSiluOfTheFirstHalfByTheSecond) {
  const Doubles gated = gated_silu(Doubles{0.0, 1.0, 5.0, 3.0});
  EXPECT_EQ(gated[0], 0.0);
  EXPECT_NEAR(gated[1], 3.0 / (1.0 + std::exp(-1.0)), kTight);
}

TEST(Argmax, TakesTheLowestIndexOfEquals) { EXPECT_EQ(argmax(Doubles{1.0, 4.0, 4.0, 2.0}), 1U); }

TEST(RelativeError, IsTheNormOfTheDifference) {
  EXPECT_NEAR(relative_error(Doubles{3.0, 4.5}, Doubles{3.0, 4.0}), 0.1, kTight);
}

TEST(RelativeError, OfNanOrOtherSizesIsInfinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isinf(relative_error(Doubles{nan}, Doubles{1.0})));
  EXPECT_TRUE(std::isinf(relative_error(Doubles{1.0}, Doubles{1.0, 2.0})));
  EXPECT_TRUE(std::isinf(relative_error(Doubles{1.0}, Doubles{0.0})));
}

}  // namespace
}  // namespace perfgate::builtin
