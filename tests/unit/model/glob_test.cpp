#include "runner/model/glob.h"

#include <string>

#include <gtest/gtest.h>

namespace perfgate {
namespace {

TEST(Glob, MatchesTheWholeNameOnly) {
  EXPECT_TRUE(glob_matches("decode", "decode"));
  EXPECT_FALSE(glob_matches("decode", "decode 2"));
  EXPECT_FALSE(glob_matches("decode", "a decode"));
  EXPECT_TRUE(glob_matches("", ""));
  EXPECT_FALSE(glob_matches("", "x"));
}

TEST(Glob, StarTakesAnyRunAlsoNone) {
  EXPECT_TRUE(glob_matches("decode*", "decode"));
  EXPECT_TRUE(glob_matches("decode*", "decode_step 17"));
  EXPECT_TRUE(glob_matches("*step*end", "my step and the end, end"));
  EXPECT_FALSE(glob_matches("*step*end", "my step and the end."));
  EXPECT_TRUE(glob_matches("**", ""));
}

TEST(Glob, QuestionMarkTakesExactlyOneCharacter) {
  EXPECT_TRUE(glob_matches("step?", "step1"));
  EXPECT_FALSE(glob_matches("step?", "step"));
}

TEST(Glob, BracketsTakeOneOfASetOrRange) {
  EXPECT_TRUE(glob_matches("step[0-9]", "step7"));
  EXPECT_FALSE(glob_matches("step[0-9]", "stepx"));
  EXPECT_TRUE(glob_matches("[!a-c]", "d"));
  EXPECT_FALSE(glob_matches("[!a-c]", "b"));
  EXPECT_TRUE(glob_matches("[]x]", "]"));
  EXPECT_TRUE(glob_matches("a[", "a["));
}

TEST(Glob, ABackslashMakesTheNextCharacterPlain) {
  EXPECT_TRUE(glob_matches("a\\*", "a*"));
  EXPECT_FALSE(glob_matches("a\\*", "ab"));
  EXPECT_TRUE(glob_matches("a\\", "a\\"));
}

TEST(Glob, ManyStarsOnALongNameEndSoon) {
  EXPECT_FALSE(glob_matches("*a*a*a*a*a*a*a*a*a*b", std::string(5000, 'a')));
}

}  // namespace
}  // namespace perfgate
