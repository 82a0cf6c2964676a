// Each outcome opens with its own sentence and ends with something to do.
#include "reporters/render/story.h"

#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "reporters/render/junit.h"
#include "reporters/render/markdown.h"
#include "reporters/render/reporter_catalog.h"
#include "reporters/render/result_json.h"
#include "tests/unit/render/report_cases.h"

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
    EXPECT_EQ(story.command.empty(), std::string_view(name) == "pass") << name;
  }
}

TEST(Story, AFailureNamesTheCauseThatGrewAndTheFamilyThatDidNot) {
  EXPECT_EQ(tell(case_named("fail_eager")).cause,
            "idle launch_overhead +1.03 ms (354 gaps of 2.9 us), gemm unchanged");
  EXPECT_EQ(tell(case_named("fail_attention")).cause, "attention +0.29 ms, gemm unchanged");
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

TEST(Story, AnEmptyResultIsInvalidAndStillReadable) {
  const Story story = tell(RunResult{});
  EXPECT_EQ(story.label, "INVALID");
  EXPECT_NE(story.sentence.find("no reason was recorded"), std::string::npos);
  for (const ReportFormat& format : report_formats())
    EXPECT_FALSE(format.render(RunResult{}, {}).empty());
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
    const std::string text = format.render(run, {});
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
    EXPECT_LT(format.render(run, {}).size(), 200'000U) << format.name;
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
  EXPECT_TRUE(text.starts_with("**FAIL**: "));
  EXPECT_NE(text.find("**Next**"), std::string::npos);
}

TEST(Markdown, ShowsAtMostTenChangedRows) {
  RunResult run = case_named("fail_eager");
  for (int i = 0; i < 30; ++i) run.comparisons.push_back(run.comparisons[0]);
  const std::string text = render_markdown(run);
  const std::string head = text.substr(0, text.find("more changed"));
  EXPECT_NE(text.find("23 more changed, see all metrics below"), std::string::npos);
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
  EXPECT_EQ(find_report_format("json")->render(passing_run(), {}), to_result_json(passing_run()));
}

}  // namespace
}  // namespace perfgate::render
