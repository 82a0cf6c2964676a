// The comment of a pull request: its first two lines, one text for several results, the cut, and
// what comes with the context.
#include "reporters/render/comment.h"

#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reporters/render/reporter_catalog.h"
#include "reporters/render/row_cut.h"
#include "reporters/render/sparkline.h"
#include "tests/unit/render/rendered.h"
#include "tests/unit/render/report_cases.h"
#include "tests/unit/render/report_parts.h"

namespace perfgate::render {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

RunResult case_named(const std::string& name) {
  for (ReportCase& item : report_cases()) {
    if (item.name == name) return item.result;
  }
  ADD_FAILURE() << name;
  return {};
}

RunResult renamed(const std::string& name, const std::string& workload) {
  RunResult result = case_named(name);
  result.workload_name = workload;
  return result;
}

std::string comment_on(const RunResult& result, const CommentContext& context = {}) {
  return render_comment({&result, 1}, context);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

// 500 gates of which each failed by another amount.
RunResult five_hundred_rows() {
  RunResult run = case_named("fail_eager");
  const Comparison first = *row_of(run, "gpu_idle_ms");
  for (int i = 0; i < 500; ++i) {
    Comparison row = first;
    row.metric = "kernel_us/a_kernel_with_a_long_name_" + std::to_string(i);
    row.outcome = i < 250 ? Outcome::fail : Outcome::pass;
    row.delta_ratio = 0.5 + 0.001 * i;
    row.reason = "rose";
    run.comparisons.push_back(row);
  }
  return run;
}

TEST(Comment, FirstTwoLinesAreReadInAMailAsTheyStand) {
  const std::vector<std::string> lines =
      lines_of(comment_on(case_named("fail_diagnosed"), {.attempt = 1}));
  EXPECT_EQ(lines.at(0),
            "### FAIL: decode_8b is 22.0 % slower than baseline 3f2a91c5d8: CUDA graphs are off "
            "(certain, +0.990 ms)");
  EXPECT_EQ(lines.at(1),
            "How sure: 95 % interval +21.8 to +22.2 %; margin 0.15 % (auto), tolerance 0.45 % "
            "(auto); finds from +0.55 %; 8 processes against 10 runs; on one NVIDIA H200; attempt "
            "1.");
}

TEST(Comment, ConfirmedPairsAndControlsStandInTheSecondLine) {
  RunResult run = case_named("fail_eager");
  Comparison& step = *row_of(run, "step_time_p50");
  step.against = Against::session;
  step.confirmed = true;
  step.n_head = 16;
  run.measurement.controls = {{"read_stream", "bytes/s", {4.0e12, 4.0e12, 3.96e12, 3.96e12}}};
  EXPECT_THAT(lines_of(comment_on(run, {.attempt = 3})).at(1),
              HasSubstr("confirmed on 16 fresh pairs of processes; on one NVIDIA H200; controls "
                        "-1.00 % over the run; attempt 3."));
}

TEST(Comment, SaysWhoActsInEveryOutcome) {
  const std::vector<std::pair<const char*, const char*>> expected{
      {"fail_eager", "by the author of this change: Check that CUDA graphs"},
      {"suspected", "by whoever keeps the baseline: The store has 4 of the 8 runs"},
      {"inconclusive", "by the owner of the workload: 9 more processes would settle it"},
      {"not_comparable", "by whoever keeps the baseline: Measure on the baseline's kind"},
      {"no_baseline", "by whoever keeps the baseline: Record this workload"},
      {"invalid_crash", "by the author of this change: Fix the program"},
      {"invalid_capture_partial", "by whoever keeps this machine: Remove what spoilt"},
      {"pass_accepted", "by the reviewer: Review the accepted lines"},
      {"pass", "- **Next**: Nothing to do."}};
  for (const auto& [name, words] : expected)
    EXPECT_THAT(comment_on(case_named(name)), HasSubstr(words)) << name;
  RunResult stale = case_named("pass");
  stale.accepted.emplace_back().accept.metric = "step_time_p50";
  EXPECT_THAT(comment_on(stale), HasSubstr("by the owner of the workload: Nothing to fix; stale"));
  RunResult owned = case_named("inconclusive");
  owned.workload_owner = "@team";
  EXPECT_THAT(comment_on(owned), HasSubstr("by the owner of the workload (@\u200Bteam): "));
}

TEST(Comment, SaysOfANamedCauseWhatItsTitleHasNotSaid) {
  RunResult run = case_named("fail_diagnosed");
  run.diagnosis.front().cause = "The product (gemm): another tile";
  run.diagnosis.front().evidence = {"grid 512 -> 1024."};
  EXPECT_THAT(comment_on(run), HasSubstr("\n- **Why**: grid 512"));
  run.diagnosis.front().evidence = {};
  run.baseline.comparability.subject = {{.key = "cublaslt", .base = "13.0", .head = "13.1"}};
  EXPECT_THAT(comment_on(run), HasSubstr("\n- **Why**: changed: cublaslt 13.0"));
  run.baseline.comparability.subject = {};
  EXPECT_THAT(comment_on(run), Not(HasSubstr("- **Why**")));
}

TEST(Comment, AFailureShowsFiveRowsOfTheLedgerAndTenOfTheMetrics) {
  RunResult run = five_hundred_rows();
  run.ledger = case_named("fail_diagnosed").ledger;
  const std::string text = comment_on(run);
  const std::string open = text.substr(0, text.find("<details>"));
  EXPECT_THAT(open, HasSubstr("\n| = untraced step | 4.585 | 5.592 |"));
  EXPECT_EQ(count_of(open, "\n| `"), 10U);
}

TEST(Comment, ItsTableSaysWhatAGateFindsAndStaysNarrow) {
  RunResult run = case_named("fail_eager");
  EXPECT_THAT(comment_on(run), AllOf(HasSubstr("| Change (interval) | Verdict | Finds from |\n"),
                                     Not(HasSubstr("Margin / tolerance"))));
  for (Comparison& row : run.comparisons) row.finds_from_ratio = 0.0;
  EXPECT_THAT(comment_on(run),
              AllOf(HasSubstr("| Change (interval) | Verdict |\n"), Not(HasSubstr("Finds from"))));
}

TEST(Comment, ASlowdownThatPassesIsForTheOwnerOfTheWorkload) {
  RunResult run = case_named("pass");
  Comparison& step = *row_of(run, "step_time_p50");
  step.margin_ratio = 0.05;
  step.tolerance_ratio = 0.15;
  step.margin_auto = step.tolerance_auto = true;
  EXPECT_THAT(comment_on(run), HasSubstr("- **Next**, by the owner of the workload: Nothing to "
                                         "fix; but the automatic tolerance is wide"));
}

TEST(Comment, SpeaksOfASlowdownOfTheStepTimeOnly) {
  RunResult run = case_named("pass");
  run.comparisons = {*row_of(run, "step_time_p50")};
  run.comparisons[0].excludes_above_ratio = 0.02;
  EXPECT_THAT(comment_on(run), HasSubstr("; a slowdown above 2.0 % is excluded"));
  RunResult other = run;
  other.workload_name = "serve";
  other.comparisons[0].metric = "reported/tokens_per_s";
  EXPECT_THAT(comment_on(other),
              AllOf(HasSubstr("; a change for the worse above 2.0 % is excluded"),
                    Not(HasSubstr("slowdown"))));
  const std::vector<RunResult> both{run, other};
  EXPECT_THAT(render_comment(both, {}),
              HasSubstr("in each of them a change for the worse above 2.0 % is excluded"));
}

TEST(Comment, FiveHundredRowsAreCutBetweenRowsRegressionsFirst) {
  const std::string text = comment_on(five_hundred_rows(), {.budget = 32'000});
  EXPECT_LE(text.size(), 32'000U);
  EXPECT_GE(text.size(), 26'000U) << "the room is used";
  EXPECT_TRUE(text.ends_with(" It stands in the whole report: `perfgate report RUN_FOLDER`.\n"));
  EXPECT_THAT(text, HasSubstr("\nLeft out for want of room: "));
  EXPECT_THAT(text, HasSubstr(" rows of \"Other gated metrics\""));
  EXPECT_EQ(count_of(text, "<details>"), count_of(text, "</details>"));
  bool passed = false;
  for (const std::string& line : lines_of(text)) {
    if (!line.starts_with("| `kernel_us/")) continue;
    EXPECT_TRUE(line.ends_with(" |")) << line;
    EXPECT_EQ(count_of(line, "|"), 7U) << line;
    const bool failed = line.find("| fail |") != std::string::npos;
    EXPECT_FALSE(passed && failed) << "a regression behind what passed";
    passed = passed || !failed;
  }
}

TEST(Comment, FitsWhateverComes) {
  RunResult run = case_named("fail_hostile_names");
  const std::string long_name(1500, '|');
  for (int i = 0; i < 40; ++i) {
    Comparison row = run.comparisons[0];
    row.metric = "kernel_us/" + long_name + std::to_string(i);
    run.comparisons.push_back(row);
    run.verdict.reasons.push_back({"breach", long_name});
    run.measurement.notes.push_back(long_name);
  }
  run.workload_name = long_name;
  run.command = {"perfgate", "run", long_name};
  run.workload_path = long_name;
  const std::vector<RunResult> many(6, run);
  for (const std::size_t budget : {0U, 30'000U, 64'000U}) {
    CommentContext context = comment_context(run);
    context.budget = budget;
    context.settings.assign(100, long_name);
    context.unreadable.assign(100, {long_name, NoResult::unreadable, long_name});
    context.worst = WorstOf::results;
    const std::string text = render_comment(many, context);
    EXPECT_LE(text.size(), std::max<std::size_t>(budget, 16'000)) << budget;
    EXPECT_THAT(text, StartsWith("### FAIL (6 fail, 100 unreadable): "));
    EXPECT_EQ(count_of(text, "<details>"), count_of(text, "</details>"));
    EXPECT_THAT(text, HasSubstr("Left out for want of room: "));
  }
}

TEST(Comment, FiveWorkloadsAreOneTextInTheirOrder) {
  const std::vector<RunResult> results{
      renamed("fail_diagnosed", "decode_8b"), renamed("inconclusive", "prefill"),
      renamed("pass", "gemm_8k"), renamed("pass_improved", "stream_read"),
      renamed("pass", "decode_b64")};
  const std::string text = render_comment(results, {});
  EXPECT_THAT(text, StartsWith("### FAIL (1 fail, 1 inconclusive, 3 pass): decode_8b is 22.0 %"));
  const std::size_t second = text.find("\n#### INCONCLUSIVE: prefill is undecided");
  const std::size_t third = text.find("\n- **PASS** gemm_8k is as fast as baseline 3f2a91c5d8");
  ASSERT_NE(second, std::string::npos);
  ASSERT_NE(third, std::string::npos);
  EXPECT_LT(text.find("Of all gated metrics: 2 fail, 4 pass."), second);
  EXPECT_LT(second, third);
  EXPECT_LT(third, text.find("\n- **PASS** stream_read is 5.7 % faster"));
  EXPECT_LT(third, text.find("\n- **PASS** decode_b64"));
  EXPECT_EQ(count_of(text, "gemm_8k"), 1U) << "a line, no more";
}

TEST(Comment, OthersThanTheFirstAreOneFold) {
  const std::vector<RunResult> results{renamed("fail_eager", "a"), renamed("suspected", "b")};
  const std::string text = render_comment(results, {});
  const std::string second = text.substr(text.find("\n#### SUSPECTED: b"));
  const std::size_t fold = second.find("<details><summary>Everything else of it</summary>");
  EXPECT_EQ(fold, second.find("<details>"));
  EXPECT_TRUE(second.ends_with("</details>\n\n</details>\n"));
}

TEST(Comment, SeveralThatPassAreALineEach) {
  RunResult other = renamed("pass_improved", "stream_read");
  row_of(other, "step_time_p50")->excludes_above_ratio = 0.02;
  const std::vector<RunResult> results{renamed("pass", "gemm_8k"), other};
  EXPECT_EQ(render_comment(results, {.attempt = 1}),
            "### PASS: all 2 workloads pass\n"
            "How sure: in each of them a slowdown above 2.0 % is excluded; attempt 1.\n"
            "\n"
            "- **Next**, by whoever keeps the baseline: Nothing to fix; run with --record on the "
            "base branch after the merge to keep the better level.\n"
            "\n"
            "- **PASS** gemm_8k is as fast as baseline 3f2a91c5d8 (+0.04 %)\n"
            "- **PASS** stream_read is 5.7 % faster than baseline 3f2a91c5d8: gemm -0.28 ms\n");
}

TEST(Comment, ManyFailuresGiveWayFromTheLast) {
  std::vector<RunResult> results;
  for (int i = 0; i < 30; ++i)
    results.push_back(renamed("fail_diagnosed", "decode_" + std::to_string(i)));
  const std::string text = render_comment(results, {});
  EXPECT_LE(text.size(), comment_limit(Platform::github));
  EXPECT_THAT(text, HasSubstr("#### FAIL: decode_1 is 22.0 %"));
  for (const RunResult& result : results)
    EXPECT_THAT(text, HasSubstr(result.workload_name + " is 22.0 % slower"));
  EXPECT_THAT(text, HasSubstr("Left out for want of room: "));
}

TEST(Comment, AResultThatCannotBeReadIsNotGreen) {
  const std::vector<RunResult> results{case_named("pass")};
  const CommentContext context{
      .unreadable = {{"gemm/result.json", NoResult::unreadable, "the file is not there"}}};
  EXPECT_THAT(render_comment(results, context),
              AllOf(StartsWith("### INVALID (1 pass, 1 unreadable): gemm/result.json could not be "
                               "read: the file is not there\n"),
                    HasSubstr("\n- **PASS** decode_8b is as fast as")));
  EXPECT_THAT(render_comment({}, {}), StartsWith("### INVALID: there is no result to report\n"));
}

TEST(Comment, AcceptingIsALineToCommitAndNoCommandThatNeedsTheRun) {
  const RunResult run = case_named("fail_diagnosed");
  EXPECT_THAT(comment_on(run), HasSubstr("perfgate baseline accept RUN_FOLDER"));
  EXPECT_THAT(
      comment_on(run, comment_context(run)),
      AllOf(HasSubstr("\n  - if the change is meant: have it accepted by the lines below\n"
                      "  - to measure again: `perfgate"),
            HasSubstr("```yaml\n  - workload: decode_8b\n"), Not(HasSubstr("baseline accept"))));
}

TEST(Comment, NoNameIsACommandToARunnerOfCi) {
  const std::string name = "\n::add-mask::x ##[error] ##vso[task.x]";
  RunResult run = renamed("fail_hostile_names", name);
  run.measurement.notes = {name};
  run.workload_path = name;
  run.analysis.traced[0].devices[0].kernels[0].name = name;
  CommentContext context = comment_context(run);
  context.settings = {name};
  context.unreadable = {{name, NoResult::unreadable, name}};
  context.accepts = {{name, name, "  - workload: x\n::error::x\n"}};
  const std::string text = render_comment({&run, 1}, context);
  EXPECT_THAT(text, AllOf(Not(HasSubstr("\n::")), Not(HasSubstr(" ::")), Not(HasSubstr("##[")),
                          Not(HasSubstr("##vso"))));
}

TEST(Comment, SaysWhatTheReaderMustKnowOfTheSettings) {
  EXPECT_THAT(comment_on(case_named("pass"), {.settings = {"thresholds read from #12"}}),
              HasSubstr("\n- **Note**: thresholds read from #\u200B12\n"));
}

TEST(Comment, OnlyAddressesOfPagesAreLinks) {
  const RunResult run = case_named("pass");
  EXPECT_THAT(comment_on(run, {.run_url = "https://ci.example/1?a=b&c=d"}),
              HasSubstr("[this run](<https://ci.example/1?a=b&c=d>)"));
  for (const char* url : {"javascript:alert(1)", "https://a/> x", "https://a/\n# b", "", "ftp://a"})
    EXPECT_THAT(comment_on(run, {.run_url = url}), Not(HasSubstr("[this run]"))) << url;
}

TEST(Comment, GitLabAndBuildkiteSayTheSameInMoreRoom) {
  const RunResult run = five_hundred_rows();
  const std::string gitlab = rendered(*find_report_format("gitlab"), run);
  EXPECT_EQ(gitlab, rendered(*find_report_format("buildkite"), run));
  EXPECT_THAT(gitlab, Not(HasSubstr("Left out")));
  EXPECT_THAT(gitlab, HasSubstr("a_long_name_499`"));
}

TEST(Sparkline, DrawsTheRangeAndSaysItInWords) {
  EXPECT_EQ(sparkline(std::vector<double>{1, 2, 3, 8}), "▁▂▃█");
  EXPECT_EQ(sparkline(std::vector<double>{5, 5, 5}), "▄▄▄");
  EXPECT_EQ(sparkline(std::vector<double>{5}), "");
  EXPECT_EQ(sparkline(std::vector<double>{-1.7e308, 1.7e308}), "▁█");
  EXPECT_EQ(history_words(std::vector<double>{4.5, 4.6, 4.55}, 4.7, "ms"),
            "▁▄▂█: 3 runs from 4.500 ms to 4.600 ms, the newest 4.550 ms, then this one: 4.700 ms");
  EXPECT_EQ(history_words(std::vector<double>{4.5}, 4.5, "ms"),
            "▄▄: 1 run of 4.500 ms, then this one: 4.500 ms");
  EXPECT_EQ(history_words({}, 4.5, "ms"), "");
  EXPECT_EQ(history_words(std::vector<double>{4.5, std::nan("")}, 4.5, "ms"), "");
}

TEST(RowCut, KeepsWholeRowsAndNoTableWithoutOne) {
  const std::string table = "| A |\n| --- |\n| 1 |\n| 2 |\n";
  EXPECT_EQ(cut_at_rows(table, 100).text, table);
  EXPECT_EQ(cut_at_rows(table, 100).rows_left_out, 0U);
  EXPECT_EQ(cut_at_rows(table, 21).text, "| A |\n| --- |\n| 1 |\n");
  EXPECT_EQ(cut_at_rows(table, 21).rows_left_out, 1U);
  EXPECT_EQ(cut_at_rows(table, 19).text, "") << "a header alone says nothing";
  EXPECT_EQ(cut_at_rows(table, 19).rows_left_out, 2U);
  EXPECT_EQ(cut_at_rows("- a\n- b\n", 5).text, "- a\n");
  EXPECT_EQ(cut_at_rows("x\n\n" + table, 20).text, "x\n");
}

}  // namespace
}  // namespace perfgate::render
