// Welch's interval of a difference of means.
#include "runner/statistics/welch.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "runner/statistics/student_t.h"

namespace perfgate::statistics {
namespace {

TEST(StudentT, HasTheQuantilesOfTheTables) {
  EXPECT_NEAR(student_t_quantile(0.975, 4.0), 2.776, 5e-4);
  EXPECT_NEAR(student_t_upper_tail(2.776, 4.0), 0.025, 1e-4);
}

// Worked by hand: variances 1 and 4, so s^2 = 1/3 + 4/3 and (5/3)^2 / (1/18 + 16/18) degrees.
TEST(Welch, HasTheErrorAndDegreesOfItsFormula) {
  const std::array base{1.0, 2.0, 3.0};
  const std::array head{10.0, 12.0, 14.0};
  const MeanDifference difference = mean_difference(base, head);
  EXPECT_DOUBLE_EQ(difference.base, 2.0);
  EXPECT_DOUBLE_EQ(difference.head, 12.0);
  EXPECT_NEAR(difference.standard_error, std::sqrt(5.0 / 3.0), 1e-12);
  EXPECT_NEAR(difference.degrees, 25.0 / 9.0 * 18.0 / 17.0, 1e-12);
  EXPECT_NEAR(half_width(difference, 0.95).value(),
              student_t_quantile(0.975, difference.degrees) * difference.standard_error, 1e-12);
}

TEST(Welch, HasNoWidthWhereNothingVaries) {
  const std::array same{5.0, 5.0};
  const MeanDifference difference = mean_difference(same, same);
  EXPECT_DOUBLE_EQ(difference.degrees, 2.0);
  EXPECT_DOUBLE_EQ(half_width(difference, 0.95).value(), 0.0);
}

TEST(Welch, HasNoIntervalOfFewerValuesThanWereAskedFor) {
  const std::array two{5.0, 6.0};
  const std::array three{5.0, 6.0, 7.0};
  EXPECT_TRUE(half_width(mean_difference(two, three), 0.95).has_value());
  EXPECT_FALSE(half_width(mean_difference(two, three, 3), 0.95).has_value());
  EXPECT_DOUBLE_EQ(mean_difference(two, three, 3).head, 6.0);
  EXPECT_FALSE(half_width(mean_difference({}, three), 0.95).has_value());
}

}  // namespace
}  // namespace perfgate::statistics
