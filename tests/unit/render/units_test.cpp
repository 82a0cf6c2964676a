// Numbers in a report carry their unit and no more digits than they earn.
#include "reporters/render/units.h"

#include <limits>

#include <gtest/gtest.h>

namespace perfgate::render {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Significant, KeepsTheDigitsAsked) {
  EXPECT_EQ(format_significant(4.6, 4), "4.600");
  EXPECT_EQ(format_significant(0.0503, 2), "0.050");
  EXPECT_EQ(format_significant(9.996, 3), "10.0") << "rounding may add a digit before the point";
  EXPECT_EQ(format_significant(123456.0, 3), "123456") << "never an exponent";
  EXPECT_EQ(format_significant(0.0, 3), "0");
}

TEST(Milliseconds, ChooseTheUnit) {
  EXPECT_EQ(format_milliseconds(4.27), "4.27 ms");
  EXPECT_EQ(format_milliseconds(0.5), "0.500 ms");
  EXPECT_EQ(format_milliseconds(0.0503), "50.3 us");
  EXPECT_EQ(format_milliseconds(0.0000124), "12.4 ns");
  EXPECT_EQ(format_milliseconds(61234.0), "61.2 s");
  EXPECT_EQ(format_milliseconds(0.0), "0 ms");
}

TEST(Changes, CarryASignUnlessTheyRoundToZero) {
  EXPECT_EQ(format_change(0.078), "+7.8 %");
  EXPECT_EQ(format_change(-0.0031), "-0.31 %");
  EXPECT_EQ(format_change(-0.000001), "0.00 %");
  EXPECT_EQ(format_change(1.5), "+150 %");
  EXPECT_EQ(format_change_ms(1.024), "+1.02 ms");
  EXPECT_EQ(format_change_ms(-0.001), "0.00 ms");
  EXPECT_EQ(format_percent(-0.078), "7.8 %") << "a size has no sign";
}

TEST(Intervals, ShowEnoughDigitsToTellTheEndsApart) {
  EXPECT_EQ(format_change_interval(0.076, 0.080), "+7.6 to +8.0 %");
  EXPECT_EQ(format_change_interval(-0.0007, 0.0015), "-0.07 to +0.15 %");
  EXPECT_EQ(format_change_interval(-0.00004, 0.00005), "-0.004 to +0.005 %");
  EXPECT_EQ(format_change_interval(-0.5, 0.25), "-50 to +25 %");
}

TEST(Sizes, AreDecimalAsOnDatasheets) {
  EXPECT_EQ(format_bytes(17.156e9), "17.2 GB");
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes_per_s(4.596e12), "4.60 TB/s");
  EXPECT_EQ(format_flops_per_s(9.89e14), "989 TFLOP/s");
  EXPECT_EQ(format_flops(2.4e11), "240 GFLOP");
}

TEST(Counts, SeparateThousandsAndKeepHalves) {
  EXPECT_EQ(format_count(385), "385");
  EXPECT_EQ(format_count(1234567), "1,234,567");
  EXPECT_EQ(format_count(-12345), "-12,345");
  EXPECT_EQ(format_count(-123), "-123");
  EXPECT_EQ(format_count(385.25), "385.2");
}

TEST(Values, FollowTheirUnit) {
  EXPECT_EQ(format_value(4.27, "ms"), "4.270 ms");
  EXPECT_EQ(format_value(14.7, "us"), "14.70 us");
  EXPECT_EQ(format_value(355, "1"), "355");
  EXPECT_EQ(format_value(77.6, "%"), "77.6 %");
  EXPECT_EQ(format_value(1234.5, "tokens/s"), "1234 tokens/s");
}

TEST(Values, WhatIsNotFiniteIsUnknown) {
  for (const std::string& text :
       {format_value(kNan, "ms"), format_change(kNan), format_count(kNan), format_bytes(kNan),
        format_share(kNan), format_change_interval(0.0, std::numeric_limits<double>::infinity())}) {
    EXPECT_EQ(text, "unknown");
  }
}

TEST(Units, WhatIsComparedIsToldApart) {
  using Two = std::pair<std::string, std::string>;
  EXPECT_EQ(format_values(2.1041, 2.10409, "ms"), Two("2.10410 ms", "2.10409 ms"));
  EXPECT_EQ(format_values(4.49, 5.0, "ms"), Two("4.490 ms", "5.000 ms"));
  EXPECT_EQ(format_values(3.0, 3.0, "ms"), Two("3.000 ms", "3.000 ms"));
  EXPECT_EQ(format_values(1e9, 1.0001e9, "bytes"), Two("1.0000 GB", "1.0001 GB"));
  EXPECT_EQ(format_values(12.31, 12.34, "1"), Two("12.31", "12.34"));
  EXPECT_EQ(format_values(99.0, 100.0, "count"), Two("99 count", "100 count"));
  EXPECT_EQ(format_value(99.5, "count"), "99.50 count");
}

}  // namespace
}  // namespace perfgate::render
