// The lines that join several results: the worst first, what decided, what to do.
#include "reporters/render/joint.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace perfgate::render {
namespace {

TEST(Joint, TheWorstStandsFirstWithHowManyOfEach) {
  const std::vector<JointRow> rows{{"runs/b", Outcome::fail, "b is 3.4 % slower than the baseline"},
                                   {"runs/c", Outcome::not_comparable, "c cannot be compared"},
                                   {"runs/a", Outcome::pass, "a is as fast as the baseline"},
                                   {"runs/d", Outcome::pass, "d is as fast as the baseline"}};
  const std::string text = render_joint(rows, {});
  EXPECT_TRUE(text.starts_with("FAIL     4 results: 1 fail, 1 not comparable, 2 pass\n")) << text;
  EXPECT_NE(text.find("perfgate report runs/b"), std::string::npos);
  EXPECT_EQ(render_joint({}, {}), "");
}

TEST(Joint, TheFirstLineNamesWhatDecidedAndTheNextStepIsTheOnesOfTheWorst) {
  const std::vector<JointRow> rows{
      {.named = "runs/b",
       .verdict = Outcome::inconclusive,
       .sentence = "b cannot be judged",
       .decided = "a gate can never pass as it is written: exit code 2",
       .next = "Correct the workload file"}};
  const std::string text = render_joint(rows, {.colour = false, .width = 120});
  EXPECT_TRUE(
      text.starts_with("INCONCLUSIVE 1 result: 1 inconclusive; a gate can never pass as it "
                       "is written: exit code 2\n"))
      << text;
  EXPECT_NE(text.find("Correct the workload file. The first one's report:"), std::string::npos);
}

TEST(Joint, WhatJoiningChangedStandsBelowItsSentence) {
  const std::vector<JointRow> rows{
      {"runs/b", Outcome::suspected, "b is slower; not confirmed", {"step_time_p50 fails alone"}}};
  EXPECT_NE(render_joint(rows, {}).find("  b is slower; not confirmed\n"
                                        "           step_time_p50 fails alone\n"
                                        "           runs/b\n"),
            std::string::npos)
      << render_joint(rows, {});
}

}  // namespace
}  // namespace perfgate::render
