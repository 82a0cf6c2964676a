// Codes become words in one place.
#include "runner/model/reason_text.h"

#include <gtest/gtest.h>

namespace perfgate {
namespace {

Comparison step_of(double head) {
  Comparison row;
  row.metric = "step_time_p50";
  row.unit = "ms";
  row.head = head;
  return row;
}

TEST(ReasonText, ABrokenLimitIsToldWithBothFigures) {
  Comparison row = step_of(4.49);
  row.findings = {{RuleCode::compared, std::nullopt, Outcome::pass},
                  {RuleCode::above_limit, 4.0, Outcome::fail}};
  const RuleFinding* broken = broken_limit_of(row);
  ASSERT_NE(broken, nullptr);
  EXPECT_EQ(text_of(row, *broken), "step_time_p50 4.49 ms is above the limit of 4 ms");
  row.findings[1].code = RuleCode::below_limit;
  EXPECT_EQ(text_of(row, row.findings[1]), "step_time_p50 4.49 ms is below the limit of 4 ms");
}

TEST(ReasonText, WhatBrokeNoLimitHasNoSuchWords) {
  Comparison row = step_of(4.49);
  EXPECT_EQ(broken_limit_of(row), nullptr);
  row.findings = {{RuleCode::keeps_limit, std::nullopt, Outcome::pass},
                  {RuleCode::unknown, 4.0, Outcome::fail}};
  EXPECT_EQ(broken_limit_of(row), nullptr);
  EXPECT_EQ(text_of(row, row.findings[1]), "");
}

TEST(ReasonText, AnIncompleteRecordingSaysSoBeforeWhatIsMissing) {
  EXPECT_EQ(text_of(MeasurementProblem{ProblemCode::recording_incomplete, "process 3 is missing"}),
            "the recording is not complete: process 3 is missing");
  EXPECT_EQ(text_of(MeasurementProblem{ProblemCode::process_failed, "it crashed"}), "it crashed");
}

TEST(ReasonText, AnotherOutputIsToldWithBothHashes) {
  EXPECT_EQ(text_of(OutputCheck{OutputCheck::State::differs, "bb", "aa"}),
            "the traced process gave another output (hash bb, untraced aa)");
  EXPECT_EQ(text_of(OutputCheck{}), "");
}

TEST(ReasonText, EveryCodeReadsBackAndAnUnknownWordIsUnknown) {
  for (const RuleCode code : {RuleCode::unknown, RuleCode::above_limit, RuleCode::below_limit,
                              RuleCode::keeps_limit, RuleCode::no_value, RuleCode::compared}) {
    EXPECT_EQ(rule_code_from_string(to_string(code)), code);
  }
  for (const ProblemCode code : {ProblemCode::unknown, ProblemCode::process_failed,
                                 ProblemCode::recording_incomplete, ProblemCode::different_work}) {
    EXPECT_EQ(problem_code_from_string(to_string(code)), code);
  }
  EXPECT_EQ(rule_code_from_string("beyond_the_moon"), RuleCode::unknown);
  EXPECT_EQ(problem_code_from_string("eclipse"), ProblemCode::unknown);
  EXPECT_EQ(output_state_from_string("nearly"), OutputCheck::State::unknown);
}

}  // namespace
}  // namespace perfgate
