// What a report says beside its verdict: what to do, how sure it is, who decided, in how many
// digits.
#include <algorithm>

#include <gtest/gtest.h>

#include "reporters/render/joint.h"
#include "reporters/render/story.h"
#include "reporters/render/terminal.h"
#include "tests/unit/render/report_cases.h"
#include "tests/unit/render/report_parts.h"

namespace perfgate::render {
namespace {

RunResult case_named(const std::string& name) {
  for (ReportCase& item : report_cases()) {
    if (item.name == name) return std::move(item.result);
  }
  ADD_FAILURE() << "no case " << name;
  return {};
}

TerminalStyle wide(int width) { return {.colour = false, .width = width, .unicode = true}; }

TEST(Story, ABarStandsBeforeWhatTheProgramSaid) {
  RunResult run = case_named("invalid_crash");
  ProcessRecord& process = run.measurement.processes[1];
  std::string words = "::add-mask::x\n  ##[error]no\n";
  for (int i = 0; i < 40; ++i) words += " word" + std::to_string(i);
  process.last_words = words;
  const std::string text = render_terminal(run, {});
  EXPECT_NE(text.find("said     | : :add-mask::x\n         |   # #[error]no\n         | word0"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\n         | word1"), std::string::npos) << "a wrapped line has one too";
}

TEST(Story, RunsOnThisGpuAloneAreNamedSo) {
  RunResult run = case_named("pass");
  const std::string before = render_terminal(run, wide(100));
  EXPECT_EQ(before.find("on this GPU"), std::string::npos);
  for (Comparison& row : run.comparisons) row.other_gpu_runs = 2;
  EXPECT_NE(render_terminal(run, wide(200)).find("runs on this GPU"), std::string::npos);
}

TEST(Story, WhatMendsASilentProcessIsWhatToDoNext) {
  RunResult run = case_named("invalid_crash");
  ProcessRecord& process = run.measurement.processes[1];
  process.state = ProcessState::silent;
  process.problem =
      "results file, line 3: \"block\" (or end) is missing (write {\"block\":{}} (both) last)";
  EXPECT_EQ(tell(run).next, "Write {\"block\":{}} (both) last. Then run again");
  EXPECT_EQ(
      tell(run).sentence,
      "decode_8b could not be judged: process 1 (timing): results file, line 3: \"block\" (or "
      "end) is missing");
  process.problem = "its output could not be kept: no space";
  EXPECT_EQ(tell(run).next, "Fix the program (its last words are here), then run again");
  process.last_words = " \n";
  EXPECT_EQ(tell(run).next, "Fix the program, then run again") << "it said nothing";
}

TEST(Story, AFailureNamesTheWholeCommandThatAcceptsIt) {
  const Story story = tell(case_named("fail_eager"));
  ASSERT_FALSE(story.more.empty());
  const ProposedCommand& accept = story.more[story.more.size() - 2];
  EXPECT_EQ(accept.purpose, "if the change is meant");
  EXPECT_EQ(accept.command,
            "perfgate baseline accept RUN_FOLDER --reason TEXT --issue URL --owner WHO --expires "
            "DATE");
}

TEST(Story, TheLevelOfALookIsExplained) {
  RunResult run = case_named("fail_eager");
  for (Comparison& row : run.comparisons) row.interval_level = 1.0 - 0.0221;
  EXPECT_TRUE(tell(run).certainty.starts_with("97.79 % interval (one of 3 looks) +"))
      << tell(run).certainty;
}

TEST(Story, EqualGpuWorkIsPartOfHowSureAVerdictIs) {
  RunResult run = case_named("pass_same_work");
  const std::string same = "kernels of a step have the same code and launch in base and head";
  EXPECT_TRUE(tell(run).certainty.ends_with(same)) << tell(run).certainty;
  run.verdict.outcome = Outcome::fail;
  for (Comparison& row : run.comparisons) row.outcome = Outcome::fail;
  EXPECT_TRUE(tell(run).certainty.ends_with(
      same + ": a difference in time is arguments, host, clocks or noise"))
      << tell(run).certainty;
  run.ledger->work = WorkIdentity::same_launches;
  EXPECT_EQ(tell(run).certainty.find("kernels of a step"), std::string::npos);
}

TEST(Terminal, AGreenReportInWhichNothingMovedHasNoTableOfNoise) {
  RunResult run = case_named("pass_same_work");
  const auto report = [&] { return render_terminal(run, wide(80)); };
  EXPECT_NE(report().find("where the change went: no part of the step moved beyond its noise\n"),
            std::string::npos);
  EXPECT_EQ(report().find("= untraced step"), std::string::npos);
  RunResult other = run;
  other.ledger->established = false;
  EXPECT_NE(render_terminal(other, wide(80)).find("= untraced step"), std::string::npos);
  run.verdict.outcome = Outcome::inconclusive;
  EXPECT_NE(report().find("= untraced step"), std::string::npos);
}

TEST(Story, ABetterExactCountIsSureWithoutTheSameSentenceTwice) {
  RunResult run = passing_run();
  Comparison& row = run.comparisons[0];
  row = Comparison();
  row.metric = "reported/allocs";
  row.kind = MetricKind::timed;
  row.unit = "count";
  row.base = 100;
  row.head = 99;
  row.n_base = 8;
  row.n_head = 3;
  row.outcome = run.verdict.outcome = Outcome::inconclusive;
  row.unsettled = Unsettled::better_count;
  row.reason = "reported/allocs 100 count -> 99 count: better by 1 count";
  run.verdict.reasons = {{"exact_better", row.reason}};
  EXPECT_EQ(tell(run).certainty, "counted exactly in 3 processes") << "there is no trace";
  EXPECT_NE(tell(run).next.find("record it on the base branch after the merge"), std::string::npos);
  row.unsettled = Unsettled::no;
  EXPECT_EQ(tell(run).certainty, "") << "the sentence has said it";
}

TEST(Story, ThePolicyThatDecidedStandsOnTheFirstScreen) {
  RunResult run = case_named("no_baseline");
  run.verdict.policies = {"--on-no-baseline fail"};
  const std::string text = render_terminal(run, wide(160));
  EXPECT_NE(text.substr(0, text.find('\n')).find("(decided by --on-no-baseline fail)"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("decided by"), text.rfind("decided by")) << "once";
}

TEST(Compared, TheChangeGivesWayBeforeAMetricsName) {
  RunResult run = case_named("fail_eager");
  run.comparisons[0].metric = "reported/heap_allocs";
  run.comparisons[0].unit = "allocs";
  const std::string text = render_terminal(run, {});
  EXPECT_NE(text.find("\nreported/heap_allocs  "), std::string::npos) << text;
  EXPECT_NE(text.find("  +21.8 to +22.2 %  "), std::string::npos) << text;
  EXPECT_NE(render_terminal(run, wide(132)).find("+22.0 % (+21.8 to +22.2 %)"), std::string::npos)
      << "where there is room both stand";
}

TEST(Accepted, TheDigitsTellTheValueFromItsCeiling) {
  RunResult run = case_named("fail_accept_exceeded");
  const std::string metric = run.accepted.at(0).accept.metric;
  Comparison& row = *std::ranges::find(run.comparisons, metric, &Comparison::metric);
  row.unit = run.accepted[0].accept.unit = "ms";
  row.head = 2.10441;
  run.accepted[0].accept.ceiling = 2.10438;
  run.accepted[0].state = AcceptState::exceeded;
  EXPECT_NE(
      render_terminal(run, wide(160)).find("is 2.10441 ms, worse than the accepted 2.10438 ms"),
      std::string::npos)
      << render_terminal(run, wide(160));
}

TEST(Joint, OneLineJoinsWhatWasShownAlready) {
  const std::vector<JointRow> rows{{"b", NoResult::error, ""}, {"a", Outcome::pass, ""}};
  EXPECT_EQ(joint_line(rows, {}), "ERROR    2 results: 1 error, 1 pass\n");
  EXPECT_EQ(joint_line({}, {}), "");
  const std::string red = joint_line(rows, {.colour = true});
  EXPECT_NE(red.find("\x1b[1;31m"), std::string::npos)
      << "no result is as bad as a failure: " << red;
}

}  // namespace
}  // namespace perfgate::render
