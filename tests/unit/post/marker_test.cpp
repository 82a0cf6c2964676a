// The line that makes a comment ours, its length, and what a step leaves behind.
#include "reporters/post/marker.h"

#include <gmock/gmock.h>

#include "reporters/post/report.h"
#include "reporters/post/step_files.h"

namespace perfgate::post {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

const std::string kOld(40, 'a');
const std::string kNew(40, 'b');

TEST(Marker, ComesBackWhateverTheKeyHolds) {
  for (const std::string key : {"decode_8b", "a b --> <!-- x", "50% done", "größe", "a=b head=c"}) {
    const Marker marker{.key = key, .head_sha = kOld, .run_id = 4711, .attempt = 2};
    EXPECT_EQ(find_marker("text\n\n" + marker_line(marker) + "\n"), marker) << key;
    const std::string line = marker_line(marker);
    EXPECT_EQ(line.find("-->"), line.size() - 3) << line;
  }
}

TEST(Marker, CountsOnTheLastLineOnly) {
  const std::string line = marker_line({.key = "k", .head_sha = kOld});
  EXPECT_FALSE(find_marker("> " + line));
  EXPECT_FALSE(find_marker(line + "\nquoted by somebody"));
  EXPECT_FALSE(find_marker(""));
}

TEST(Marker, OfTheHeadAsItIsNowIsTheNewest) {
  const Marker old_head{.key = "k", .head_sha = kOld, .run_id = 9};
  const Marker new_head{.key = "k", .head_sha = kNew, .run_id = 5};
  EXPECT_TRUE(is_newer(new_head, old_head, kNew));
  EXPECT_FALSE(is_newer(old_head, new_head, kNew));
}

TEST(Marker, OfALaterRunOrAttemptIsNewer) {
  const auto at = [](std::int64_t run, int attempt) {
    return Marker{.key = "k", .head_sha = kOld, .run_id = run, .attempt = attempt};
  };
  EXPECT_TRUE(is_newer(at(6, 1), at(5, 3), kOld));
  EXPECT_TRUE(is_newer(at(5, 3), at(5, 2), kOld));
  EXPECT_FALSE(is_newer(at(5, 2), at(5, 2), kOld));
  EXPECT_FALSE(is_newer(at(0, 1), at(5, 2), kOld));  // by hand: whoever comes last
}

TEST(Comment, ThatIsTooLongIsCutAtALineAndKeepsItsMarker) {
  std::string text = "# Report\n\n<details><summary>rows</summary>\n\n```\n";
  for (int i = 0; i < 20'000; ++i) text += "a row of the table\n";
  text += "```\n\n</details>\n";
  const std::string body = comment_body(text, {.key = "k", .head_sha = kOld});
  EXPECT_LE(body.size(), kLongestComment);
  EXPECT_TRUE(find_marker(body));
  EXPECT_THAT(body, HasSubstr("\n```\n\n</details>\n\n_The rest is cut"));
}

TEST(Comment, ThatFitsIsAsItIs) {
  const Marker marker{.key = "k", .head_sha = kOld};
  EXPECT_EQ(comment_body("text\n", marker), "text\n\n" + marker_line(marker));
}

TEST(Key, IsTheSameInWhateverOrderWorkloadsAreNamed) {
  EXPECT_EQ(key_of({"gemm", "decode"}), "decode+gemm");
  EXPECT_EQ(key_of({"decode", "gemm", "decode"}), "decode+gemm");
  const std::string longer(100, 'x');
  EXPECT_LE(key_of({longer, "y"}).size(), 80U);
  EXPECT_NE(key_of({longer, "y"}), key_of({longer, "z"}));
}

TEST(Description, IsOneLineOfCharactersNotBytes) {
  EXPECT_EQ(one_line("two\nlines", 140), "two lines");
  EXPECT_EQ(one_line(std::string(140, 'x'), 140), std::string(140, 'x'));
  EXPECT_EQ(one_line(std::string(141, 'x'), 140), std::string(139, 'x') + "…");
  EXPECT_EQ(one_line("äöüß", 3), "äö…");
}

TEST(Summary, LeavesRoomForWhatIsThere) {
  EXPECT_EQ(summary_text("text", 0), "text\n");
  EXPECT_LE(summary_text(std::string(2'000'000, 'x'), 1000).size(), kLongestSummary - 1000);
  EXPECT_EQ(summary_text("text", kLongestSummary), "");
}

TEST(Outputs, StandBetweenLinesThatNobodyCanGuess) {
  EXPECT_EQ(outputs_text({{"verdict", "fail"}, {"result", "a\nb"}}, "x1"),
            "verdict<<x1\nfail\nx1\nresult<<x1\na\nb\nx1\n");
  EXPECT_EQ(outputs_text({{"result", "x1\nverdict=pass"}}, "x1"), "");
}

}  // namespace
}  // namespace perfgate::post
