// Exit codes are an interface: CI scripts branch on them.
#include "runner/model/outcome.h"

#include <array>

#include <gtest/gtest.h>

namespace perfgate {
namespace {

TEST(ExitCode, PassIsZeroAndFailIsOne) {
  EXPECT_EQ(exit_code(Outcome::pass), 0);
  EXPECT_EQ(exit_code(Outcome::fail), 1);
}

TEST(ExitCode, NothingThatWasNotJudgedIsGreen) {
  for (const Outcome outcome :
       {Outcome::suspected, Outcome::inconclusive, Outcome::not_comparable, Outcome::no_baseline}) {
    EXPECT_EQ(exit_code(outcome), 3) << to_string(outcome);
  }
  EXPECT_EQ(exit_code(Outcome::invalid), 4);
}

TEST(ExitCode, PolicyTurnsAnUndecidedOutcomeIntoPassOrFail) {
  const ExitPolicy policy{.on_suspected = UndecidedPolicy::fail,
                          .on_no_baseline = UndecidedPolicy::pass};
  EXPECT_EQ(exit_code(Outcome::suspected, policy), 1);
  EXPECT_EQ(exit_code(Outcome::no_baseline, policy), 0);
  EXPECT_EQ(exit_code(Outcome::inconclusive, policy), 3);
  EXPECT_EQ(exit_code(Outcome::not_comparable, policy), 3)
      << "no policy makes another machine comparable";
}

TEST(WorstExitCode, OrdersUsageFailInvalidUndecidedPass) {
  EXPECT_EQ(worst_exit_code(std::array{0, 3, 4, 1, 2}), 2);
  EXPECT_EQ(worst_exit_code(std::array{0, 3, 4, 1}), 1);
  EXPECT_EQ(worst_exit_code(std::array{0, 3, 4}), 4);
  EXPECT_EQ(worst_exit_code(std::array{0, 3}), 3);
  EXPECT_EQ(worst_exit_code(std::array{0, 0}), 0);
}

TEST(OutcomeWords, RoundTrip) {
  for (const Outcome outcome :
       {Outcome::pass, Outcome::fail, Outcome::suspected, Outcome::inconclusive,
        Outcome::not_comparable, Outcome::no_baseline, Outcome::invalid}) {
    const auto parsed = outcome_from_string(to_string(outcome));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(parsed.value(), outcome);
  }
  EXPECT_FALSE(outcome_from_string("green").ok());
}

}  // namespace
}  // namespace perfgate
