// Each outcome opens with its own sentence and ends with something to do.
#include "reporters/render/story.h"

#include <algorithm>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "reporters/render/junit.h"
#include "reporters/render/markdown.h"
#include "reporters/render/reporter_catalog.h"
#include "reporters/render/result_json.h"
#include "reporters/render/terminal.h"
#include "tests/unit/render/rendered.h"
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

TEST(Story, EachOutcomeHasItsOwnSentenceAndAction) {
  std::set<std::string> sentences;
  for (const char* name : {"pass", "fail_eager", "suspected", "inconclusive", "not_comparable",
                           "no_baseline", "invalid_crash"}) {
    const Story story = tell(case_named(name));
    EXPECT_TRUE(sentences.insert(story.sentence).second) << name;
    EXPECT_TRUE(story.sentence.starts_with("decode_8b ")) << story.sentence;
    EXPECT_FALSE(story.next.empty()) << name;
    EXPECT_EQ(story.command.empty() && story.more.empty(), std::string_view(name) == "pass")
        << name;
  }
}

TEST(Story, AFailureNamesTheCauseThatGrewAndTheFamilyThatDidNot) {
  EXPECT_EQ(tell(case_named("fail_eager")).cause,
            "launch_calls 1 -> 355 a step, idle graph_internal gone; idle launch_overhead +1.03 ms "
            "(354 gaps of 2.9 us), gemm unchanged");
  EXPECT_EQ(tell(case_named("fail_attention")).cause,
            "kernel_launches 323 -> 355 a step; changed: cublaslt 13.0.0.19 -> 13.0.2.14, program; "
            "attention +0.29 ms, gemm unchanged");
}

TEST(Story, ABrokenLimitIsToldInsteadOfAChangeThatIsNone) {
  RunResult run = passing_run();
  Comparison& step = *std::ranges::find(run.comparisons, "step_time_p50", &Comparison::metric);
  const std::string limit = "step_time_p50 4.27 ms is above the limit of 4 ms";
  step.outcome = run.verdict.outcome = Outcome::fail;
  step.findings = {{RuleCode::compared, std::nullopt, Outcome::pass},
                   {RuleCode::above_limit, 4.0, Outcome::fail}};
  step.head = 4.27;
  step.reason = "as fast as the baseline; and more";
  const Story alone = tell(run);
  EXPECT_EQ(alone.sentence, "decode_8b fails: " + limit);
  EXPECT_EQ(alone.certainty.find("interval"), std::string::npos) << alone.certainty;
  EXPECT_NE(alone.next.find("Bring step_time_p50 within its limit"), std::string::npos);
  EXPECT_EQ(alone.cause, "");
  step.interval_known = true;
  step.delta_ratio = 0.1;
  step.ci_low_ratio = 0.09;
  step.ci_high_ratio = 0.11;
  EXPECT_EQ(tell(run).sentence,
            "decode_8b is 10.0 % slower than baseline 3f2a91c5d8, and " + limit);
  step.findings.clear();
  step.reason = limit + "; the words decide nothing";
  EXPECT_EQ(tell(run).sentence, "decode_8b is 10.0 % slower than baseline 3f2a91c5d8");
  step.n_base = 0;
  EXPECT_EQ(tell(run).sentence, "decode_8b fails: " + step.reason)
      << "an earlier perfgate kept no findings, and without a baseline only a limit fails";
}

TEST(Story, AFailureOfAnotherMetricIsNotToldAsStepTime) {
  RunResult run = passing_run();
  run.comparisons[5].head = 356;
  run.comparisons[5].delta_ratio = 356.0 / 355.0 - 1.0;
  run.comparisons[5].outcome = Outcome::fail;
  run.verdict.outcome = Outcome::fail;
  EXPECT_EQ(tell(run).sentence,
            "decode_8b: kernel_launches rose 355 to 356, against baseline 3f2a91c5d8");
  EXPECT_EQ(tell(run).certainty, "counted exactly in 3 traced processes");
}

TEST(Story, APathIsQuotedForTheShell) {
  RunResult run = case_named("no_baseline");
  run.workload_path = "my file's.yaml";
  EXPECT_EQ(tell(run).command, "perfgate run 'my file'\\''s.yaml' --record");
  run.workload_path.clear();
  EXPECT_EQ(tell(run).command, "perfgate run FILE --record");
}

TEST(Story, WhyNamesTheLargestPartsThatMovedBeyondTheirNoiseGatedOrNot) {
  EXPECT_EQ(tell(case_named("fail_ungated_parts")).cause,
            "idle launch_overhead +1.03 ms (354 gaps of 2.9 us), gemm unchanged")
      << "norm moved by less than its noise, host by less than a tenth of the change";
  RunResult run = case_named("fail_ungated_parts");
  run.observed[1].noise = 0.001;
  for (TracedProcess& each : run.analysis.traced) {
    each.devices[0].families[2] = family("norm", 0.25, 65);
    close_window(each.devices[0]);
  }
  EXPECT_EQ(tell(run).cause,
            "idle launch_overhead +1.03 ms (354 gaps of 2.9 us), norm +0.20 ms, gemm unchanged");
  EXPECT_EQ(break_down(run).families[0].base_ms, 3.899) << "the table has a baseline for it too";
}

TEST(Story, TheCommandIsGivenAsItWasRun) {
  RunResult run = case_named("no_baseline");
  run.command = {"perfgate",    "run", "--gpu", "none", "--store",
                 "my store.db", "--",  "sh",    "-c",   "./decode | tee log"};
  EXPECT_EQ(tell(run).command,
            "perfgate run --gpu none --store 'my store.db' --record -- sh -c './decode | tee log'");
  EXPECT_EQ(tell(case_named("suspected")).command,
            "perfgate run workloads/decode_8b.yaml --store '/srv/perfgate stores/main.db'");
}

TEST(Story, WhatIsUndecidedEndsWithTheFiguresThatWouldDecideIt) {
  const auto next = [](const RunResult& run) { return tell(run).next; };
  RunResult run = case_named("suspected");
  EXPECT_EQ(next(run),
            "The store has 4 of the 8 runs that a FAIL needs: record 4 more on the base branch, "
            "not on this change, or let a suspicion fail (--on-suspected fail). Then run again");
  Comparison& step = run.comparisons[0];
  step.unsettled = Unsettled::other_gpu;
  step.runs_to_settle = 6;
  EXPECT_NE(next(run).find("6 runs more of the baseline on this very GPU"), std::string::npos)
      << next(run);
  step.unsettled = Unsettled::weak_evidence;
  step.processes_to_settle = 4;
  EXPECT_NE(
      next(run).find("4 more processes would be evidence for a FAIL, if the change stays: end "
                     "timing.processes with 12"),
      std::string::npos)
      << next(run);
  step.unsettled = Unsettled::lone_run;
  step.processes_to_settle = step.runs_to_settle = 0;
  EXPECT_EQ(next(run),
            "Runs of the store stray by themselves, as this one may: judge the change against its "
            "base in one session, where fresh pairs decide, or let a suspicion fail "
            "(--on-suspected fail)");
  run = case_named("inconclusive");
  EXPECT_EQ(
      next(run),
      "9 more processes would settle it: end timing.processes with 17 in the workload file; a "
      "tolerance above 2.4 % would let this run pass");
  run.comparisons[0].processes_to_settle = 0;
  run.comparisons[0].runs_to_settle = 3;
  EXPECT_TRUE(next(run).starts_with("3 runs more in the store would settle it")) << next(run);
  run.comparisons[0].runs_to_settle = 0;
  EXPECT_TRUE(next(run).starts_with("Neither more processes nor more runs would")) << next(run);
  run.comparisons[0].unsettled = Unsettled::unplaced_level;
  run.comparisons[0].runs_to_settle = 3;
  EXPECT_TRUE(
      next(run).starts_with("The newest runs of the store lie apart from its level, by a "
                            "change or by chance: record 3 more on the base branch"))
      << next(run);
  run.comparisons[0].unsettled = Unsettled::lone_process;
  EXPECT_TRUE(next(run).starts_with("One process was disturbed: ")) << next(run);
  run.comparisons[0].unsettled = Unsettled::no_spread;
  EXPECT_TRUE(next(run).starts_with("The store has 1 run of this level, ")) << next(run);
}

TEST(Story, AGateThatCanNeverPassIsAMistakeOfTheFileFromTheFirstLineOn) {
  RunResult run = case_named("inconclusive");
  run.verdict.reasons.push_back({.code = "gate_can_never_pass",
                                 .text = "gate step_time_p50: this gate can never pass: so and so",
                                 .metric = "step_time_p50"});
  const Story story = tell(run);
  EXPECT_EQ(story.sentence, "decode_8b cannot be judged: " + run.verdict.reasons.back().text);
  EXPECT_NE(story.next.find("Correct the workload file (exit code 2)"), std::string::npos);
}

TEST(Story, ASlowRunIsNeverMadeTheBaselineByTheCommandBelowIt) {
  const auto check = [](const RunResult& run) {
    const Story story = tell(run);
    EXPECT_EQ(story.command.find("--record"), std::string::npos) << story.command;
    for (const ProposedCommand& each : story.more)
      EXPECT_EQ(each.command.find("--record"), std::string::npos) << each.command;
    EXPECT_EQ(story.next.find(" 0 "), std::string::npos) << story.next;
  };
  for (const char* name : {"fail_eager", "fail_attention", "fail_ungated_parts", "suspected",
                           "inconclusive", "pass_improved"}) {
    for (int state = 0; state <= static_cast<int>(Unsettled::better_count); ++state) {
      for (const bool stored : {false, true}) {
        RunResult run = case_named(name);
        run.comparisons[0].unsettled = static_cast<Unsettled>(state);
        run.comparisons[0].processes_to_settle = 0;
        run.comparisons[0].runs_to_settle = 1;
        if (stored) run.recorded = "run 5 recorded in store.db";
        check(run);
      }
    }
  }
}

TEST(Story, TheLastRunThatWasMissingSendsBackToTheGate) {
  RunResult run = case_named("suspected");
  run.comparisons[0].runs_to_settle = 1;
  run.recorded = "run 8 recorded in store.db";
  EXPECT_EQ(tell(run).next, "This run was stored: run again to be judged");
}

TEST(Story, AnInvalidRunSendsToTheProgramWhereTheProgramIsTheReason) {
  RunResult run = case_named("invalid_capture_partial");
  EXPECT_EQ(tell(run).command, "perfgate doctor");
  run.analysis.capture.output = {OutputCheck::State::differs, "a", "b"};
  EXPECT_NE(tell(run).next.find("computes something else when it is traced"), std::string::npos);
  EXPECT_EQ(tell(run).command, "perfgate run workloads/decode_8b.yaml");
  run = passing_run();
  run.verdict = {.outcome = Outcome::invalid,
                 .reasons = {{"measurement_invalid",
                              "the processes did different work: process 0 "
                              "reports tokens 16, process 1 17"}},
                 .policies = {},
                 .problem = MeasurementProblem{ProblemCode::different_work, {}}};
  for (Comparison& row : run.comparisons) row.outcome = Outcome::invalid;
  EXPECT_NE(tell(run).next.find("Make every process do the same work"), std::string::npos);
  run.verdict.problem->code = ProblemCode::recording_incomplete;
  EXPECT_NE(tell(run).next.find("Take a complete copy of the recording"), std::string::npos);
  run.verdict.problem.reset();
  EXPECT_EQ(tell(run).next, "Remove what the reason above names, then run again")
      << "an earlier perfgate gave no code";
  run.verdict.reasons = {{"invalid_metric", "reported/ttft_ms: this run did not produce it"}};
  EXPECT_NE(tell(run).next.find("produce what its gates ask for"), std::string::npos);
  EXPECT_EQ(tell(case_named("invalid_crash")).sentence,
            "decode_8b could not be judged: process 1 (timing): ended with exit code 1");
}

TEST(Story, OtherWorkThatWasAcceptedIsSaidInTheFirstSentence) {
  RunResult run = passing_run();
  AcceptUse use;
  use.accept.metric = "work/tokens";
  use.accept.ceiling = 8.0;
  use.accept.expires = "2027-03-31";
  use.state = AcceptState::used;
  run.accepted = {use};
  const std::string text = render_terminal(run, {});
  EXPECT_NE(text.find("accepted regression"), std::string::npos) << text;
  EXPECT_NE(text.find("work/tokens down to 8 until 2027-03-31"), std::string::npos) << text;
}

TEST(Story, LessWorkSendsToTheProgramOrToAnAccept) {
  RunResult run = passing_run();
  run.verdict = {.outcome = Outcome::invalid,
                 .reasons = {{.code = "less_work", .text = "the head does half the work"}},
                 .policies = {}};
  const std::string text = render_terminal(run, {});
  EXPECT_NE(text.find("the head does half the work"), std::string::npos) << text;
  EXPECT_NE(text.find("perfgate baseline accept"), std::string::npos) << text;
}

TEST(Story, ARunThatWasStoredIsNotAdvisedToBeStored) {
  EXPECT_EQ(tell(case_named("no_baseline_recorded")).next,
            "This run was stored as the first of the baseline; record 7 more on the base branch, "
            "not on this change, then a regression can FAIL");
  RunResult run = case_named("suspected");
  run.recorded = "run 5 recorded in store.db";
  EXPECT_TRUE(tell(run).next.starts_with("This run was stored. The store has 5 of the 8 runs"));
  for (const char* name : {"pass", "pass_improved", "fail_eager", "not_comparable",
                           "not_comparable_file", "inconclusive"}) {
    run = case_named(name);
    run.recorded = "run 5 recorded in store.db";
    EXPECT_EQ(tell(run).next.find("record "), std::string::npos) << tell(run).next;
  }
}

TEST(Story, AChangedWorkloadFileIsNamedAndItsDigestsAreNot) {
  const RunResult run = case_named("not_comparable_file");
  EXPECT_NE(tell(run).sentence.find("the workload file has changed"), std::string::npos);
  EXPECT_NE(tell(run).next.find("Record a new baseline"), std::string::npos);
  for (const ReportFormat& format : report_formats()) {
    if (format.name == "json") continue;
    const std::string text = rendered(format, run);
    EXPECT_EQ(text.find("41f2e924"), std::string::npos) << text;
    EXPECT_EQ(text.find(" 0 ms"), std::string::npos) << text;
  }
}

TEST(Story, NoSentenceIsCut) {
  RunResult run = case_named("not_comparable_file");
  std::string reason;
  for (int i = 0; i < 60; ++i) reason += "word" + std::to_string(i) + " ";
  run.baseline.comparability.environment.clear();
  run.verdict.reasons = {{"not_comparable", reason}};
  run.workload_name = std::string(300, 'n');
  const std::string text = render_terminal(run, {});
  const std::string first = text.substr(0, text.find("\nnext "));
  for (int i = 0; i < 60; ++i) {
    EXPECT_NE(first.find("word" + std::to_string(i)), std::string::npos) << i;
  }
  EXPECT_LT(text.find("word0"), 200U) << "a name may be shortened";
}

TEST(Story, AnEmptyResultIsInvalidAndStillReadable) {
  const Story story = tell(RunResult{});
  EXPECT_EQ(story.label, "INVALID");
  EXPECT_NE(story.sentence.find("no reason was recorded"), std::string::npos);
  for (const ReportFormat& format : report_formats())
    EXPECT_FALSE(format.render(RunResult{}, {}, {}).empty());
}

TEST(Story, NoReportShowsNan) {
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  RunResult run = case_named("fail_eager");
  for (MetricValue& metric : run.metrics) metric.value = kNan;
  for (Comparison& row : run.comparisons)
    row.base = row.delta_ratio = row.ci_low_ratio = row.margin_ratio = kNan;
  run.analysis.floor->against[0].floor_ms = kNan;
  run.analysis.traced[0].traced_over_untraced = kNan;
  for (const ReportFormat& format : report_formats()) {
    const std::string text = rendered(format, run);
    EXPECT_EQ(text.find("nan"), std::string::npos) << format.name;
    EXPECT_EQ(text.find("inf "), std::string::npos) << format.name;
  }
}

TEST(Story, AbsurdFiguresAreCutNotObeyed) {
  RunResult run = case_named("fail_eager");
  for (Comparison& row : run.comparisons)
    row.base = row.head = row.delta_ratio = row.ci_high_ratio = 1e300;
  run.analysis.floor->against[0].percent_of_floor = 1e300;
  for (const ReportFormat& format : report_formats()) {
    EXPECT_LT(rendered(format, run).size(), 200'000U) << format.name;
  }
}

TEST(Breakdown, AnInvalidCaptureShowsNoNumbers) {
  const RunResult run = case_named("invalid_dropped_unknown");
  EXPECT_FALSE(break_down(run).known);
  EXPECT_EQ(shown_process(run), nullptr);
}

TEST(Markdown, StaysBelowGitHubsLimitWhateverComes) {
  RunResult run = case_named("fail_hostile_names");
  const std::string long_name(5000, '|');
  for (int i = 0; i < 400; ++i) {
    Comparison row = run.comparisons[0];
    row.metric = "kernel_us/" + long_name + std::to_string(i);
    run.comparisons.push_back(row);
    run.verdict.reasons.push_back({"breach", long_name});
    run.measurement.notes.push_back(long_name);
    run.analysis.traced[0].devices[0].kernels.push_back({.name = long_name, .family = long_name});
  }
  run.workload_name = long_name;
  const std::string text = render_markdown(run);
  EXPECT_LE(text.size(), kMarkdownLimit);
  EXPECT_TRUE(text.starts_with("### FAIL: "));
  EXPECT_NE(text.find("**Next**"), std::string::npos);
}

TEST(Markdown, ShowsAtMostTenChangedRows) {
  RunResult run = case_named("fail_eager");
  for (int i = 0; i < 30; ++i) run.comparisons.push_back(run.comparisons[0]);
  const std::string text = render_markdown(run);
  const std::string head = text.substr(0, text.find("more changed"));
  EXPECT_NE(text.find("23 more changed, see the other metrics below"), std::string::npos);
  std::size_t rows = 0;
  for (std::size_t at = head.find("\n| `"); at != std::string::npos;
       at = head.find("\n| `", at + 1))
    ++rows;
  EXPECT_EQ(rows, 10U);
}

TEST(Junit, EscapesAndCounts) {
  EXPECT_EQ(xml_text("a<b>&\"\x01\n"), "a&lt;b&gt;&amp;&quot;?&#10;");
  const std::string text = render_junit(case_named("fail_eager"));
  EXPECT_NE(text.find("tests=\"7\" failures=\"3\" errors=\"0\" skipped=\"0\""), std::string::npos)
      << text;
  const std::string skipped = render_junit(case_named("suspected"));
  EXPECT_NE(skipped.find("failures=\"0\" errors=\"0\" skipped=\"2\""), std::string::npos)
      << skipped;
}

TEST(Catalogue, FindsEachFormatByName) {
  for (const ReportFormat& format : report_formats()) {
    ASSERT_NE(find_report_format(format.name), nullptr);
    EXPECT_EQ(find_report_format(format.name)->name, format.name);
    EXPECT_FALSE(format.description.empty());
  }
  EXPECT_EQ(find_report_format("yaml"), nullptr);
  EXPECT_EQ(find_report_format("json")->render(passing_run(), {}, {}),
            to_result_json(passing_run()));
}

}  // namespace
}  // namespace perfgate::render
