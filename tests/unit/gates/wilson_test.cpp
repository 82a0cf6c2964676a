#include "gates/wilson.h"

#include <gtest/gtest.h>

namespace perfgate::gates {
namespace {

// Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
TEST(WilsonInterval, AgreesWithNewcombesTable) {
  const Share of_263 = wilson_interval(81, 263);
  EXPECT_NEAR(of_263.low, 0.2553, 5e-5);
  EXPECT_NEAR(of_263.high, 0.3662, 5e-5);
  const Share of_148 = wilson_interval(15, 148);
  EXPECT_NEAR(of_148.low, 0.0624, 5e-5);
  EXPECT_NEAR(of_148.high, 0.1605, 5e-5);
  const Share none = wilson_interval(0, 20);
  EXPECT_EQ(none.low, 0.0);
  EXPECT_NEAR(none.high, 0.1611, 5e-5);
  const Share one = wilson_interval(1, 29);
  EXPECT_NEAR(one.low, 0.0061, 5e-5);
  EXPECT_NEAR(one.high, 0.1718, 5e-5);
}

TEST(WilsonInterval, OfAllIsTheMirrorOfNone) {
  const Share all = wilson_interval(20, 20);
  EXPECT_EQ(all.high, 1.0);
  EXPECT_NEAR(all.low, 1.0 - wilson_interval(0, 20).high, 1e-12);
}

TEST(WilsonInterval, OfNothingKnowsNothing) {
  const Share nothing = wilson_interval(0, 0);
  EXPECT_EQ(nothing.low, 0.0);
  EXPECT_EQ(nothing.high, 1.0);
}

}  // namespace
}  // namespace perfgate::gates
