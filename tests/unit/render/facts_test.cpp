// What a report says beside times: counts, the use of CUDA graphs, the machine, the tables' notes.
#include <algorithm>
#include <optional>

#include <gtest/gtest.h>

#include "reporters/render/change_facts.h"
#include "reporters/render/detail_rows.h"
#include "reporters/render/markdown.h"
#include "reporters/render/story.h"
#include "reporters/render/summary_lines.h"
#include "reporters/render/terminal.h"
#include "tests/unit/render/ledger_parts.h"
#include "tests/unit/render/report_cases.h"
#include "tests/unit/render/report_parts.h"

namespace perfgate::render {
namespace {

Observation count(const char* metric, double base, double head) {
  return {.metric = metric, .unit = "1", .base = base, .head = head, .noise = 0.0, .n_base = 10};
}

MetricValue graph_launches(double value) {
  return {.id = "graph_launches",
          .kind = MetricKind::counted,
          .value = value,
          .unit = "1",
          .better = Better::lower,
          .samples = {value, value, value}};
}

// 2.6 % slower, all of it in gemm and norm.
RunResult slower_run() {
  RunResult run = passing_run();
  DeviceWindow device = decode_window();
  device.families[0] = family("gemm", 4.02, 129);
  device.families[2] = family("norm", 0.12, 65);
  close_window(device);
  set_window(run, device);
  set_step(run, 4.75, 0.002);
  *row_of(run, "family_ms/gemm") =
      compared("family_ms/gemm", MetricKind::traced, "ms", 3.90, 4.03, 0.002);
  set_outcome(run, "step_time_p50", Outcome::fail, "step_time_p50 rose");
  run.verdict = {.outcome = Outcome::fail, .reasons = {{"breach", "rose"}}, .policies = {}};
  return run;
}

TEST(Facts, GraphsThatAreGoneComeBeforeThePartsThatGrewWithThem) {
  RunResult run = slower_run();
  run.observed = {count("launch_calls", 1, 355)};
  run.metrics.push_back(graph_launches(0));
  run.baseline.comparability.subject = {{"injected_fault", "none", "graphs_off=1"},
                                        {"program", "eb71efc083833e06", "51aac083833e06eb"}};
  const Story story = tell(run);
  EXPECT_EQ(story.cause,
            "launch_calls 1 -> 355 a step; changed: injected_fault none -> graphs_off=1, program; "
            "gemm +0.12 ms");
  EXPECT_EQ(story.next, "Check that CUDA graphs are still used");
  ASSERT_FALSE(story.more.empty());
  EXPECT_EQ(story.more.back().command, "perfgate run workloads/decode_8b.yaml");
}

TEST(Facts, GraphsAreCalledGoneOnlyOnEvidence) {
  RunResult run = slower_run();
  EXPECT_EQ(graph_use(run), GraphUse::not_less) << "nothing is known";
  run.metrics.push_back(graph_launches(0));
  EXPECT_EQ(graph_use(run), GraphUse::not_less) << "the baseline may have had none either";
  run.observed = {count("launch_calls", 355, 355)};
  EXPECT_EQ(graph_use(run), GraphUse::not_less);
  run.observed = {count("launch_calls", 1, 355)};
  EXPECT_EQ(graph_use(run), GraphUse::vanished) << "one call launched 355 kernels";
  run.observed = {count("graph_launches", 1, 0)};
  EXPECT_EQ(graph_use(run), GraphUse::vanished);
  run.observed = {count("graph_launches", 0, 0)};
  EXPECT_EQ(graph_use(run), GraphUse::not_less);
  // A store of an earlier perfgate has no counts of launches; idle time inside a graph needs one.
  run.observed = {{.metric = "idle_ms/graph_internal",
                   .unit = "ms",
                   .base = 0.0045,
                   .head = 0.0,
                   .noise = 0.001,
                   .n_base = 10}};
  EXPECT_EQ(graph_use(run), GraphUse::vanished);
  run.observed[0].noise = 0.01;
  EXPECT_EQ(graph_use(run), GraphUse::not_less) << "within its noise";
  run.observed[0].noise = 0.001;
  run.metrics.pop_back();
  EXPECT_EQ(graph_use(run), GraphUse::not_less) << "an earlier perfgate counted no graph launches";
}

TEST(Facts, MoreKernelsInMoreCallsSayNothingAboutGraphs) {
  RunResult run = slower_run();
  run.observed = {count("launch_calls", 1, 33)};
  run.metrics.push_back(graph_launches(1));
  EXPECT_EQ(graph_use(run), GraphUse::less);
  EXPECT_TRUE(tell(run).next.starts_with("Look for kernels that left a CUDA graph"));
  row_of(run, "kernel_launches")->head = 387;
  EXPECT_EQ(graph_use(run), GraphUse::not_less);
}

TEST(Facts, AGrownFamilySendsTheReaderWhereKernelsCanBeCompared) {
  const std::string next = tell(slower_run()).next;
  EXPECT_TRUE(
      next.starts_with("The store keeps no kernels: compare the gemm kernels below with "
                       "those of a run on the base branch (perfgate kernels RUN_FOLDER)"))
      << next;
}

TEST(Facts, AGrownFamilyOfASessionIsComparedWithItsOwnBase) {
  RunResult run = slower_run();
  run.ledger = attention_ledger();
  ASSERT_GT(run.ledger->base.processes, 0);
  EXPECT_TRUE(
      tell(run).next.starts_with("Compare the gemm kernels of the head with those of the base"))
      << tell(run).next;
  run.ledger = store_ledger();
  EXPECT_TRUE(tell(run).next.starts_with("The store keeps no kernels")) << tell(run).next;
}

TEST(Facts, WhyAndTableShowTheSameChange) {
  RunResult run = slower_run();
  // The metric is a median over processes, the table a mean.
  EXPECT_EQ(row_of(run, "family_ms/gemm")->head, 4.03);
  EXPECT_NE(tell(run).cause.find("gemm +0.12 ms"), std::string::npos) << tell(run).cause;
  const std::string text = render_terminal(run, {});
  const std::size_t row = text.find("  gemm ");
  ASSERT_NE(row, std::string::npos);
  EXPECT_NE(text.substr(row, text.find('\n', row) - row).find("+0.12 ms"), std::string::npos);
}

TEST(Facts, ATableThatDoesNotSumToTheUntracedStepSaysWhyAsFarAsIsKnown) {
  RunResult run = passing_run();
  EXPECT_EQ(trace_note(run, break_down(run)), "");
  // The traced steps are not slower than the untraced ones at the same place.
  set_step(run, 5.2, 0.01);
  EXPECT_EQ(trace_note(run, break_down(run)),
            "the untraced step takes 5.200 ms, but 4.580 ms at the steps that were traced: the "
            "other steps are slower");
  for (TracedProcess& each : run.analysis.traced) each.traced_over_untraced = 0.0;
  EXPECT_EQ(trace_note(run, break_down(run)), "the untraced step takes 5.200 ms; why is not known");
  for (TracedProcess& each : run.analysis.traced) each.traced_over_untraced = 1.136;
  const std::string note =
      "tracing lengthens this step (traced / untraced 1.136): the shares are indicative, and times "
      "out of captures are not judged";
  EXPECT_EQ(trace_note(run, break_down(run)), note);
  EXPECT_NE(render_markdown(run).find("tracing lengthens this step"), std::string::npos);
  const std::string screen = render_terminal(run, {});
  const std::size_t at = screen.find("  tracing lengthens this step");
  ASSERT_NE(at, std::string::npos) << screen;
  EXPECT_GT(at, screen.find("  = traced step")) << "under the table";
}

TEST(Facts, AMachineLineLeavesOutWhatIsUnknown) {
  RunResult run = passing_run();
  run.measurement.fingerprint.environment = {{"gpu", "none"},
                                             {"driver", "unknown"},
                                             {"power_limit_w", "unknown"},
                                             {"clock_policy", "unknown"},
                                             {"cpu", "AMD EPYC 9654"}};
  EXPECT_EQ(machine_line(run), "no GPU, AMD EPYC 9654");
  run.source = RunSource::replayed;
  EXPECT_EQ(tell(run).origin, "replayed: recorded without a GPU, not measured here");
  run.source = RunSource::imported;
  EXPECT_EQ(tell(run).origin, "imported: another tool's figures, not measured here");
}

TEST(Facts, AFloorIsASpeedToReach) {
  const std::string line = floor_line(passing_run());
  EXPECT_TRUE(
      line.starts_with("3.57 ms (datasheet H200 SXM), 77.9 % of its speed reached; 3.73 ms "
                       "(measured by calibrate), 81.4 %; memory-bound"))
      << line;
}

TEST(DetailRows, GapsBetweenTheSameKernelsAreOneRowAndTinyOnesNone) {
  DeviceWindow device = decode_window();
  const auto site = [](IdleCause cause, const char* before, double ms) {
    return GapSite{.cause = cause,
                   .before = before,
                   .after = "norm",
                   .host_range = {},
                   .total_ns = window_ns(ms),
                   .count = kSteps};
  };
  device.gap_sites = {site(IdleCause::device_wait, "embed", 0.020),
                      site(IdleCause::device_wait, "gemm", 0.015),
                      site(IdleCause::graph_internal, "gemm", 0.010),
                      site(IdleCause::graph_internal, "argmax", 0.0004)};
  const std::vector<Row> rows = gap_rows(device, 8);
  ASSERT_EQ(rows.size(), 2U) << "idle is 0.05 ms a step";
  EXPECT_EQ(rows[0], (Row{"device_wait", "25.0 us", "2", "gemm", "norm", ""}));
  EXPECT_EQ(rows[1], (Row{"device_wait", "20.0 us", "1", "embed", "norm", ""}));
}

TEST(DetailRows, KernelsOfOneNameAreToldApartByTheirLaunch) {
  DeviceWindow device = decode_window();
  EXPECT_EQ(kernel_rows(device, 10)[0].size(), 5U);
  device.kernels[1].name = device.kernels[0].name;
  device.kernels[1].grid = {66, 2, 2};
  const std::vector<Row> rows = kernel_rows(device, 10);
  EXPECT_EQ(rows[0].back(), "132 x 384");
  EXPECT_EQ(rows[1].back(), "264 x 384");
  EXPECT_EQ(rows[2].back(), "132 x 384") << "no row is left empty";
}

TEST(DetailRows, KernelsThatOverlapAreSaidTo) {
  RunResult run = passing_run();
  const auto says = [&](const std::string& text) {
    return text.find("kernels overlap, so their times sum to more") != std::string::npos;
  };
  EXPECT_FALSE(says(render_terminal(run, {})));
  EXPECT_FALSE(says(render_markdown(run)));
  DeviceWindow& device = run.analysis.traced[0].devices[0];
  device.kernels.push_back(kernel("add_norm_kernel", "norm", 64, 1.41));
  EXPECT_TRUE(says(render_terminal(run, {})));
  EXPECT_TRUE(says(render_markdown(run)));
}

TEST(Facts, TheStepLineHasTheFiguresOfTheJudgedRow) {
  RunResult run = passing_run();
  Comparison& step = *row_of(run, "step_time_p50");
  std::ranges::find(run.metrics, "step_time_p50", &MetricValue::id)->value = 4.0;
  step.base = 4.2;
  step.head = 4.5;
  EXPECT_TRUE(step_line(run).starts_with("4.500 ms (base 4.200 ms, ")) << step_line(run);
  step.n_base = 0;
  EXPECT_TRUE(step_line(run).starts_with("4.000 ms; ")) << step_line(run);
}

}  // namespace
}  // namespace perfgate::render
