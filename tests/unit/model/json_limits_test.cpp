// JSON of strangers is measured before it is parsed.
#include "runner/model/json_limits.h"

#include <string>

#include <gtest/gtest.h>

namespace perfgate {
namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(JsonLimits, CountsTheDeepestNesting) {
  EXPECT_EQ(json_depth("7"), 0U);
  EXPECT_EQ(json_depth(R"({"a":[1],"b":[[2]],"c":[3]})"), 3U);
  EXPECT_EQ(json_depth(nested(200'000)), 200'000U);
}

TEST(JsonLimits, BracketsInTextsDoNotCount) {
  EXPECT_EQ(json_depth(R"({"a":"[[[[","b":"\"[[[","c":"\\"})"), 1U);
}

TEST(JsonLimits, WhatIsNoJsonIsMeasuredToo) {
  EXPECT_EQ(json_depth("]]][["), 2U);
  EXPECT_EQ(json_depth("\"\\"), 0U);
}

TEST(JsonLimits, SaysWhichLimitIsCrossed) {
  EXPECT_EQ(json_beyond_limits(nested(64)), std::nullopt);
  EXPECT_EQ(json_beyond_limits(nested(65)), "nested deeper than 64 levels");
  EXPECT_EQ(json_beyond_limits(std::string(kLongestJsonBytes + 1, ' ')), "longer than 64 MiB");
}

}  // namespace
}  // namespace perfgate
