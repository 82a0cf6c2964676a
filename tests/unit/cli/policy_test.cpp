#include "runner/cli/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perfgate::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Policy, WithoutAChoiceWhatIsNotJudgedEndsWithThree) {
  const ExitPolicy policy = exit_policy({});
  EXPECT_EQ(exit_code(Outcome::no_baseline, policy), kExitNotJudged);
  EXPECT_EQ(exit_code(Outcome::inconclusive, policy), kExitNotJudged);
  EXPECT_EQ(exit_code(Outcome::suspected, policy), kExitNotJudged);
}

TEST(Policy, EachChoiceDecidesItsOwnOutcomeAlone) {
  const ExitPolicy policy = exit_policy({"fail", "pass", ""});
  EXPECT_EQ(exit_code(Outcome::suspected, policy), kExitFail);
  EXPECT_EQ(exit_code(Outcome::inconclusive, policy), kExitPass);
  EXPECT_EQ(exit_code(Outcome::no_baseline, policy), kExitNotJudged);
}

TEST(Policy, NoChoiceTurnsAFailureOrAnInvalidRunGreen) {
  const ExitPolicy policy = exit_policy({"pass", "pass", "pass"});
  EXPECT_EQ(exit_code(Outcome::fail, policy), kExitFail);
  EXPECT_EQ(exit_code(Outcome::invalid, policy), kExitInvalid);
  EXPECT_EQ(exit_code(Outcome::not_comparable, policy), kExitNotJudged);
}

TEST(Policy, TheVerdictNamesThePolicyThatDecidedIt) {
  Verdict verdict;
  verdict.outcome = Outcome::no_baseline;
  describe_policy({"fail", "fail", "pass"}, verdict);
  EXPECT_THAT(verdict.policies, ElementsAre("--on-no-baseline pass"));
  Verdict passed;
  passed.outcome = Outcome::pass;
  describe_policy({"fail", "fail", "fail"}, passed);
  EXPECT_THAT(passed.policies, IsEmpty());
}

TEST(Policy, OfARunHoldsForItsResultUntilAnotherIsGiven) {
  Verdict verdict;
  verdict.outcome = Outcome::suspected;
  verdict.policies = {"--on-suspected pass"};
  EXPECT_EQ(with_recorded({}, verdict).on_suspected, "pass");
  const PolicyOptions given{"fail", "", ""};
  EXPECT_EQ(with_recorded(given, verdict).on_suspected, "fail");
  describe_policy(given, verdict);
  EXPECT_THAT(verdict.policies, ElementsAre("--on-suspected fail"));
  verdict.policies = {"--record: the first run of this workload becomes its baseline"};
  EXPECT_EQ(with_recorded({}, verdict).on_no_baseline, "pass");
}

RunResult open_against(int runs) {
  Comparison row;
  row.metric = "step_time_p50";
  row.outcome = Outcome::inconclusive;
  row.unsettled = Unsettled::wide_interval;
  row.n_base = runs;
  row.runs_to_settle = 1;
  RunResult result;
  result.verdict.outcome = Outcome::inconclusive;
  result.comparisons = {row};
  return result;
}

TEST(Policy, ARecordedRunThatOnlyLacksHistoryIsNoFault) {
  RunResult result = open_against(2);
  EXPECT_TRUE(lacks_history(result));
  result.comparisons.front().runs_to_settle = 0;
  EXPECT_TRUE(lacks_history(result)) << "run 4 of a quiet program: nobody knows its spread yet";
  result.comparisons.front().unsettled = Unsettled::lone_process;
  EXPECT_FALSE(lacks_history(result)) << "this run was disturbed";
  EXPECT_FALSE(lacks_history(open_against(8))) << "the store has what a FAIL needs";
  result = open_against(2);
  result.comparisons.push_back(result.comparisons.front());
  result.comparisons.back().outcome = Outcome::suspected;
  EXPECT_FALSE(lacks_history(result));
  result.verdict.policies = {"--record: the store is too short to judge by"};
  EXPECT_EQ(with_recorded({}, result.verdict).on_inconclusive, "pass");
}

}  // namespace
}  // namespace perfgate::cli
