#include "runner/model/nearest_word.h"

#include <array>

#include <gtest/gtest.h>

namespace perfgate {
namespace {

using std::string_view_literals::operator""sv;

TEST(NearestWord, FindsTheMisspeltOneOnly) {
  static constexpr std::array kWords{"steps"sv, "timing"sv, "trace"sv, "gates"sv};
  EXPECT_EQ(nearest_word("stpes", kWords), "steps");
  EXPECT_EQ(nearest_word("step", kWords), "steps");
  EXPECT_EQ(nearest_word("trce", kWords), "trace");
  EXPECT_EQ(nearest_word("zzz", kWords), "");
  EXPECT_EQ(nearest_word("", kWords), "");
  EXPECT_EQ(suggest("zzz", kWords), "known: steps, timing, trace, gates");
}

TEST(NearestWord, CountsASwapAsOneEdit) {
  EXPECT_EQ(edit_distance("ab", "ba"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
}

}  // namespace
}  // namespace perfgate
