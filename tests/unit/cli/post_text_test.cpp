// What a joint verdict is to the checks of a pull request.
#include "runner/cli/post/post_text.h"

#include <gmock/gmock.h>

#include "reporters/post/marker.h"

namespace perfgate::cli {
namespace {

using ::testing::HasSubstr;

GateRow row(const std::string& workload, Outcome outcome, int code,
            std::vector<std::string> policies = {}) {
  GateRow made;
  made.shown = {"runs/" + workload, std::string(to_string(outcome)), workload + " was measured"};
  made.workload = workload;
  made.policies = std::move(policies);
  made.outcome = outcome;
  made.code = code;
  return made;
}

JointVerdict joint_of(std::vector<GateRow> rows) {
  JointVerdict joint;
  joint.rows = std::move(rows);
  joint.code = joint.rows.front().code;
  return joint;
}

TEST(StatusOfAVerdict, BlocksWhatFailedAndWhatWasNotJudged) {
  EXPECT_EQ(state_of(joint_of({row("a", Outcome::pass, 0)})), post::State::success);
  EXPECT_EQ(state_of(joint_of({row("a", Outcome::fail, 1)})), post::State::failure);
  for (const Outcome outcome : {Outcome::suspected, Outcome::inconclusive, Outcome::not_comparable})
    EXPECT_EQ(state_of(joint_of({row("a", outcome, 3)})), post::State::failure);
  EXPECT_EQ(state_of(joint_of({row("a", Outcome::invalid, 4)})), post::State::error);
}

TEST(StatusOfAVerdict, IsWhatAPolicyMakesOfItAndStillSaysNotJudged) {
  const auto passed = joint_of({row("a", Outcome::suspected, 0, {"--on-suspected pass"})});
  EXPECT_EQ(state_of(passed), post::State::success);
  EXPECT_EQ(description_of(passed), "NOT JUDGED (suspected, --on-suspected pass): a was measured");
  EXPECT_EQ(state_of(joint_of({row("a", Outcome::suspected, 1)})), post::State::failure);
}

TEST(StatusOfAVerdict, LetsANewWorkloadPassUnlessAPolicyFailsIt) {
  GateRow fresh = row("a", Outcome::no_baseline, 3);
  EXPECT_EQ(state_of(joint_of({fresh})), post::State::failure);  // its line has runs elsewhere
  fresh.is_new = true;
  EXPECT_EQ(state_of(joint_of({fresh})), post::State::success);
  EXPECT_EQ(description_of(joint_of({fresh})), "NEW: a was measured");
  fresh.code = 1;
  EXPECT_EQ(state_of(joint_of({fresh})), post::State::failure);
}

TEST(StatusOfAVerdict, OfSeveralIsTheWorstWithTheCounts) {
  const auto joint = joint_of({row("b", Outcome::fail, 1), row("a", Outcome::pass, 0)});
  EXPECT_EQ(description_of(joint), "FAIL, 1 fail, 1 pass: b was measured");
}

TEST(Posting, IsCalledPostedOnlyWhereEverythingIsThere) {
  post::PostOutcome outcome;
  outcome.said = {"comment created"};
  EXPECT_EQ(posting_words(outcome, 2.019), "posted in 2.02 s\n");
  outcome.problems = {
      {.code = ErrorCode::unavailable, .message = "no status", .hint = {}, .context = {}}};
  EXPECT_EQ(posting_words(outcome, 2.019), "posted in part, in 2.02 s, see the warnings\n");
  outcome.said.clear();
  EXPECT_THAT(posting_words(outcome, 2.019), HasSubstr("nothing was posted (tried for 2.02 s)"));
}

TEST(ReportOfAVerdict, HasOneKeyWhateverTheOrder) {
  const auto worst_first = joint_of({row("b", Outcome::fail, 1), row("a", Outcome::pass, 0)});
  EXPECT_EQ(report_of(worst_first, "").key, "a+b");
  EXPECT_EQ(report_of(worst_first, "nightly").key, "nightly");
}

TEST(ReportOfAVerdict, OfWhatCameToNoResultSaysWhy) {
  JointVerdict joint;
  add_failed(joint, "decode",
             {.code = ErrorCode::not_found, .message = "no *program*", .hint = {}, .context = {}});
  const post::Report report = report_of(joint, "");
  EXPECT_EQ(report.key, "decode");
  EXPECT_EQ(report.state, post::State::error);
  EXPECT_EQ(report.verdict, "error");
  EXPECT_THAT(report.text, HasSubstr("decode"));
  EXPECT_LE(report.text.size(), post::kLongestComment);
}

}  // namespace
}  // namespace perfgate::cli
