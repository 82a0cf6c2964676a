// What a gate lets pass and what it can see is said, and a slowdown that passes is called one.
#include "reporters/render/sight.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reporters/render/explanation.h"
#include "reporters/render/html/page.h"
#include "reporters/render/markdown.h"
#include "reporters/render/shell_command.h"
#include "reporters/render/story.h"
#include "reporters/render/terminal.h"
#include "tests/unit/render/report_cases.h"
#include "tests/unit/render/report_parts.h"

namespace perfgate::render {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Truly slower, between automatic bounds of 5 % and 15 %.
RunResult hidden_slowdown() {
  RunResult run = passing_run();
  Comparison& step = *row_of(run, "step_time_p50");
  step = compared("step_time_p50", MetricKind::timed, "ms", 4.585, 5.025, 0.048);
  step.margin_ratio = 0.05;
  step.tolerance_ratio = 0.15;
  step.finds_from_ratio = 0.12;
  return run;
}

RunResult case_named(const std::string& name) {
  for (ReportCase& item : report_cases()) {
    if (item.name == name) return std::move(item.result);
  }
  ADD_FAILURE() << "no case " << name;
  return {};
}

TEST(Sight, ASlowdownThatPassesIsNeverCalledAsFast) {
  const Story story = tell(hidden_slowdown());
  EXPECT_EQ(story.label, "PASS");
  EXPECT_EQ(story.sentence,
            "decode_8b is 9.6 % slower than baseline 3f2a91c5d8, within the tolerance of 15.0 % "
            "(auto)");
  EXPECT_THAT(story.certainty, AllOf(HasSubstr("margin 5.0 % (auto), tolerance 15.0 % (auto)"),
                                     HasSubstr("finds from +12.0 %")));
  EXPECT_THAT(story.next, AllOf(HasSubstr("lets this slowdown pass"),
                                HasSubstr("set margin and tolerance of step_time_p50 in the "
                                          "workload file"),
                                HasSubstr("timing.processes")));
}

TEST(Sight, WhatStaysWithinTheMarginIsSaidSo) {
  RunResult run = passing_run();
  *row_of(run, "step_time_p50") =
      compared("step_time_p50", MetricKind::timed, "ms", 4.585, 4.589, 0.0002);
  EXPECT_THAT(tell(run).sentence,
              HasSubstr("slower than baseline 3f2a91c5d8, within the margin of"));
  EXPECT_EQ(tell(run).next, "Nothing to do");
}

TEST(Sight, AThroughputThatFellIsWorseToo) {
  Comparison row = compared("reported/tokens_per_s", MetricKind::timed, "1", 100, 90, 0.02);
  row.tolerance_ratio = 0.15;
  row.better = Better::higher;
  EXPECT_TRUE(is_worse_within(row));
  row.better = Better::lower;
  EXPECT_FALSE(is_worse_within(row));
}

TEST(Sight, AWideAutomaticToleranceIsNamedEvenIfNothingChanged) {
  RunResult run = passing_run();
  Comparison& step = *row_of(run, "step_time_p50");
  step.margin_ratio = 0.05;
  step.tolerance_ratio = 0.15;
  EXPECT_THAT(tell(run).next, AllOf(HasSubstr("automatic tolerance is wide"),
                                    HasSubstr("a slowdown up to 15.0 % may pass")));
  step.tolerance_auto = step.margin_auto = false;
  EXPECT_EQ(tell(run).next, "Nothing to do") << "who set it knows it";
}

TEST(Sight, AnAtLeastStandsInThePlaceOfTheBoundThatItRaises) {
  Comparison row = compared("gpu_idle_ms", MetricKind::traced, "ms", 0.008, 0.008, 0.02);
  row.at_least = 0.05;
  row.finds_from_ratio = 7.1;
  EXPECT_EQ(bounds_words(row), "margin and tolerance at_least 50.00 us");
  EXPECT_EQ(finds_words(row), "finds from +710 % (near blind)");
  RunResult run = passing_run();
  *row_of(run, "gpu_idle_ms") = row;
  EXPECT_THAT(sight_notes(run),
              ElementsAre(AllOf(HasSubstr("gpu_idle_ms is near blind"), HasSubstr("+710 %"),
                                HasSubstr("against a level of 8.00"))));
  EXPECT_THAT(render_terminal(run, {}), HasSubstr("near blind"));
}

TEST(Sight, EveryReportHasTheBoundsOfEveryRow) {
  const RunResult run = hidden_slowdown();
  for (const std::string& text :
       {render_terminal(run, {.colour = false, .width = 100, .unicode = true}),
        render_markdown(run), html::render_html(run, {})}) {
    EXPECT_THAT(text, AllOf(HasSubstr("15.0 % (auto)"), HasSubstr("+12.0 %"), HasSubstr("5.0 %")));
    EXPECT_THAT(text, Not(HasSubstr("as fast as")));
  }
}

TEST(Next, NamesTheFolderThatIsKnownAndTheCommandThatExplains) {
  RunResult run = case_named("fail_diagnosed");
  run.folder = ".perfgate/runs/my run";
  const std::string text = render_terminal(run, {});
  EXPECT_THAT(text, AllOf(HasSubstr("perfgate explain '.perfgate/runs/my run'"),
                          HasSubstr("perfgate baseline accept '.perfgate/runs/my run'"),
                          Not(HasSubstr("RUN_FOLDER"))));
}

TEST(Next, ExplainIsPromisedNoMoreThanItHas) {
  RunResult run = case_named("fail_diagnosed");
  EXPECT_THAT(render_terminal(run, {}), HasSubstr("# where it went, kernel by kernel"));
  for (LedgerRow& row : run.ledger->rows) {
    row.kernels.clear();
    row.places.clear();
    row.gaps.clear();
  }
  run.ledger->base.processes = 0;  // of a store
  run.ledger->base.traced = 10;
  EXPECT_THAT(render_terminal(run, {}), AllOf(HasSubstr("# where it went, part by part"),
                                              Not(HasSubstr("kernel by kernel"))));
  run.analysis.traced.clear();
  EXPECT_THAT(render_terminal(run, {}), Not(HasSubstr("perfgate explain")));
}

TEST(Next, ARecordedRunThatIsAcceptedIsNotToBeRecordedAgain) {
  RunResult run = case_named("pass_accepted");
  EXPECT_THAT(tell(run).next, HasSubstr("run with --record"));
  run.recorded = "run 9 recorded in s.db; the accepted level begins here: step_time_p50";
  EXPECT_THAT(tell(run).next, AllOf(HasSubstr("this run was stored"), Not(HasSubstr("--record"))));
}

TEST(Sight, AnAutomaticBoundOfASingleRunIsNotKnownYet) {
  RunResult run = passing_run();
  Comparison& step = *row_of(run, "step_time_p50");
  step.margin_auto = step.tolerance_auto = true;
  step.unsettled = Unsettled::no_spread;
  EXPECT_EQ(sight_cells(step)[0], "auto, not known yet");
  EXPECT_EQ(bounds_words(step), "margin and tolerance auto, not known yet");
}

TEST(Sight, WhyAGateHasNoFindsFromIsSaidOnce) {
  RunResult run = passing_run();
  const auto said = [&] {
    return std::ranges::count_if(sight_notes(run), [](const std::string& note) {
      return note.find("cannot FAIL against the store yet, which has fewer than 8 runs") !=
             std::string::npos;
    });
  };
  Comparison& step = *row_of(run, "step_time_p50");
  step.finds_from_ratio = 0.0;
  step.n_base = 7;
  EXPECT_EQ(said(), 1);
  step.n_base = 8;
  EXPECT_EQ(said(), 0);
}

TEST(CommandLines, AreReadAsOneByAShell) {
  EXPECT_EQ(command_lines("perfgate run a.yaml", 80),
            std::vector<std::string>{"perfgate run a.yaml"});
  EXPECT_EQ(command_lines("perfgate run 'my file.yaml' --record", 26),
            (std::vector<std::string>{"perfgate run \\", "'my file.yaml' --record"}));
}

TEST(Next, AnOptionAndItsValueStayOnOneLine) {
  EXPECT_EQ(command_lines("perfgate accept F --owner WHO --expires DATE", 30),
            (std::vector<std::string>{"perfgate accept F \\", "--owner WHO --expires DATE"}));
  EXPECT_EQ(command_lines("perfgate accept F --owner WHO --expires DATE", 27),
            (std::vector<std::string>{"perfgate accept F \\", "--owner WHO \\", "--expires DATE"}));
}

TEST(Next, AnExpiredAcceptOfWhatFailsIsNamed) {
  RunResult run = case_named("fail_eager");
  AcceptUse use;
  use.accept.metric = "step_time_p50";
  use.accept.expires = "2026-10-01";
  use.accept.owner = "ann";
  use.accept.line = 7;
  use.state = AcceptState::expired;
  run.accepted = {use};
  EXPECT_THAT(tell(run).next, HasSubstr("the accept of step_time_p50 expired on 2026-10-01 "
                                        "(line 7 of perfgate-accepts.yaml, ann)"));
}

TEST(Why, AFailureWithoutTracesSaysThatNothingWasTraced) {
  RunResult run = case_named("fail_eager");
  run.analysis.traced.clear();
  run.observed.clear();
  run.diagnosis.clear();
  run.ledger.reset();
  std::erase_if(run.comparisons,
                [](const Comparison& row) { return row.metric != "step_time_p50"; });
  run.command = {"perfgate", "run", "a.yaml", "--gpu", "none"};
  EXPECT_EQ(tell(run).cause, "cause not established: nothing was traced (--gpu none)");
  EXPECT_THAT(tell(run).next, HasSubstr("a run with traces on a GPU"));
  const Explanation explanation = explain(run);
  EXPECT_THAT(explanation.next, HasSubstr("with traces"));
  EXPECT_EQ(explanation.instead, "perfgate run a.yaml");
}

TEST(Explaining, AgainstTheStoreShowsTheKernelsOfThisRun) {
  RunResult run = passing_run();
  run.folder = "runs/a";
  run.ledger.emplace();
  run.ledger->base.traced = 10;  // runs of a store
  const Explanation explanation = explain(run);
  ASSERT_TRUE(explanation.own.has_value());
  EXPECT_EQ(explanation.instead, "perfgate compare BASE_FOLDER runs/a");
  const std::string text = find_explanation_format("text")->render(explanation, {});
  EXPECT_THAT(text, AllOf(HasSubstr("nvjet_tst_64x8_64x16_4x1_v_bz_TNT"),
                          HasSubstr("where the GPU waits")));
  EXPECT_THAT(find_explanation_format("md")->render(explanation, {}), HasSubstr("nvjet_tst_64x8"));
}

TEST(Terminal, AFamilyThatChangedIsNotFoldedAway) {
  RunResult run = case_named("fail_eager");
  for (TracedProcess& each : run.analysis.traced) {
    DeviceWindow& device = each.devices[0];
    for (int i = 0; i < 12; ++i) {
      device.families.push_back(family("large" + std::to_string(i), 0.4, 1));
    }
    close_window(device);
  }
  run.observed.push_back({.metric = "family_ms/elementwise",
                          .unit = "ms",
                          .base = 0.01,
                          .head = 0.03,
                          .noise = 0.001,
                          .n_base = 10});
  const std::string text = render_terminal(run, {});
  EXPECT_THAT(text, AllOf(HasSubstr("\n  elementwise "), HasSubstr(" more ")));
}

TEST(Story, WhereTheBaseFailedTheStoresAnswerIsKept) {
  RunResult run = case_named("invalid_crash");
  run.measurement.processes[1].arm = Arm::base;
  run.verdict.reasons.push_back(
      {"store_screen", "against the store step_time_p50 +2.9 %, would be fail"});
  EXPECT_THAT(tell(run).sentence,
              AllOf(HasSubstr("(base, timing)"), HasSubstr("against the store step_time_p50")));
  EXPECT_THAT(tell(run).next, HasSubstr("Fix the base"));
}

}  // namespace
}  // namespace perfgate::render
