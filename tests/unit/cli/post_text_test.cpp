// What a joint verdict is to the checks of a pull request.
#include "runner/cli/post/post_text.h"

#include <gmock/gmock.h>

#include "reporters/post/marker.h"
#include "runner/cli/post/masked_verdict.h"

namespace perfgate::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

GateRow row(const std::string& workload, Outcome outcome, int code,
            std::vector<std::string> policies = {}) {
  GateRow made;
  made.shown = {"runs/" + workload, outcome, workload + " was measured"};
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

/// With a result for each row.
JointVerdict with_results(std::vector<GateRow> rows) {
  JointVerdict joint = joint_of(std::move(rows));
  for (const GateRow& row : joint.rows) {
    RunResult result;
    result.workload_name = row.workload;
    result.verdict.outcome = *row.outcome;
    joint.named.push_back(row.shown.named);
    joint.results.push_back(std::move(result));
  }
  return joint;
}

TEST(StatusOfAVerdict, SpeaksOfWhatBlocksAndNotOfWhatIsNew) {
  GateRow fresh = row("a", Outcome::no_baseline, 3);
  fresh.is_new = true;
  const auto joint = with_results({fresh, row("b", Outcome::inconclusive, 3)});
  EXPECT_EQ(state_of(joint), post::State::failure);
  EXPECT_EQ(description_of(joint),
            "NOT JUDGED (inconclusive), 1 inconclusive, 1 no baseline: b was measured");
  const post::Report report = report_of(joint, "");
  EXPECT_EQ(report.verdict, "inconclusive");
  EXPECT_THAT(report.text, StartsWith("### INCONCLUSIVE (1 inconclusive, 1 no baseline): b "));
}

TEST(ReportOfAVerdict, OpensWithWhatTheStatusSpeaksOf) {
  const auto joint = with_results({row("b", Outcome::suspected, 1, {"--on-suspected fail"}),
                                   row("a", Outcome::not_comparable, 3)});
  EXPECT_THAT(description_of(joint), HasSubstr("b was measured"));
  EXPECT_THAT(report_of(joint, "").text,
              StartsWith("### SUSPECTED (1 suspected, 1 not comparable): b "));
}

TEST(ReportOfAVerdict, OpensWithWhatCouldNotBeReadWhereThatIsTheWorst) {
  JointVerdict joint = with_results({row("b", Outcome::fail, 1)});
  add_failed(joint, "decode",
             {.code = ErrorCode::unavailable, .message = "no GPU", .hint = {}, .context = {}});
  EXPECT_THAT(report_of(joint, "").text, StartsWith("### FAIL (1 fail, 1 error): b "));
  add_failed(joint, "prefill",
             {.code = ErrorCode::usage, .message = "no file", .hint = {}, .context = {}});
  EXPECT_THAT(report_of(joint, "").text, StartsWith("### INVALID (1 fail, 2 error): prefill "));
}

TEST(Masking, KnowsATokenThatTheReportCutsOrEscapes) {
  const std::string token = "ghs_0123456789TokenThatNobody|MaySee";
  for (std::size_t before = 0; before < 300; before += 5) {
    JointVerdict joint = with_results({row("a", Outcome::invalid, 4)});
    ProcessRecord process;
    process.state = ProcessState::crashed;
    process.problem = std::string(before, 'x') + token;
    process.last_words = std::string(before, 'x') + token;
    joint.results[0].measurement.processes = {process};
    joint.rows[0].shown.sentence = "a crashed: " + token;
    mask_secrets(joint, std::vector{token});
    const post::Report report = report_of(joint, "");
    for (const std::string& text : {report.text, report.summary, report.description})
      ASSERT_THAT(text, Not(HasSubstr("ghs_0"))) << before;
    EXPECT_EQ(joint.results[0].measurement.processes.size(), 1U);
  }
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
