// The smallest slowdown that is found, against the exact noncentral t.
#include "gates/power.h"

#include <array>
#include <cmath>

#include <boost/math/distributions/non_central_t.hpp>
#include <gtest/gtest.h>

#include "gates/statistics.h"

namespace perfgate::gates {
namespace {

TestStage stage_of(double degrees, double probability) {
  return {.standard_error = 0.002,
          .degrees = degrees,
          .critical = student_t_quantile(probability, degrees)};
}

double exact(const TestStage& stage, double beyond) {
  const boost::math::non_central_t found(stage.degrees, beyond / stage.standard_error);
  return boost::math::cdf(boost::math::complement(found, stage.critical));
}

TEST(Power, OneTestIsWithinAHundredthOfTheExactProbability) {
  for (const double degrees : {2.0, 4.0, 7.0, 11.0, 15.0, 29.0}) {
    for (const double probability : {0.975, 0.98895, 0.99, 0.9995}) {
      const TestStage stage = stage_of(degrees, probability);
      EXPECT_NEAR(exact(stage, found_beyond_margin({&stage, 1})), kFoundProbability, 0.0065);
    }
  }
}

TEST(Power, TwoTestsMustBothFindIt) {
  const std::array stages{stage_of(11, 0.98895), stage_of(15, 0.99)};
  const double beyond = found_beyond_margin(stages);
  EXPECT_NEAR(exact(stages[0], beyond) * exact(stages[1], beyond), kFoundProbability, 0.005);
  EXPECT_GT(beyond, found_beyond_margin({stages.data(), 1}));
}

TEST(Power, ASpreadThatIsKnownBadlyPromisesLessAndAtLastNothing) {
  TestStage stage = stage_of(11, 0.99);
  const double sure = found_beyond_margin({&stage, 1});
  EXPECT_NEAR(found_probability({&stage, 1}, sure), kFoundProbability, 1e-9);
  stage.known_degrees = 40;
  EXPECT_GT(found_beyond_margin({&stage, 1}), sure);
  EXPECT_LT(found_beyond_margin({&stage, 1}), 1.3 * sure);
  stage.known_degrees = 1;
  EXPECT_TRUE(std::isinf(found_beyond_margin({&stage, 1})));
}

TEST(Power, WithoutSpreadWhateverExceedsTheMarginIsFound) {
  const TestStage still{.standard_error = 0.0, .degrees = 4, .critical = 2.8};
  EXPECT_EQ(found_beyond_margin({&still, 1}), 0.0);
  EXPECT_EQ(found_beyond_margin({}), 0.0);
}

}  // namespace
}  // namespace perfgate::gates
