#include <algorithm>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/analysis/datasheet.h"
#include "runner/analysis/floors.h"
#include "runner/analysis/metric_catalog.h"
#include "tests/unit/analysis/hand_made.h"

namespace perfgate::analysis {
namespace {

using testing::HasSubstr;

GateSpec gate(std::string metric) {
  GateSpec spec;
  spec.metric = std::move(metric);
  return spec;
}

WorkDone work_of(std::optional<double> tokens, std::optional<double> weights = {},
                 std::optional<double> kv = {}, std::optional<double> flops = {}) {
  WorkDone work;
  work.tokens = tokens;
  work.weights_bytes = weights;
  work.kv_bytes = kv;
  work.flops = flops;
  return work;
}

FloorSpec declared(std::optional<double> bytes = {}) {
  FloorSpec spec;
  spec.declared = true;
  spec.bytes_per_step = bytes;
  return spec;
}

TimingSamples two_processes() {
  return {{{1, {4.0, 4.0, 4.0, 4.0, 6.0}}, {2, {5.0, 5.0, 5.0, 5.0, 5.0}}}};
}

const MetricValue* find(const MetricSet& set, std::string_view id) {
  const auto found = std::ranges::find(set.values, id, &MetricValue::id);
  return found == set.values.end() ? nullptr : &*found;
}

MetricSet metrics_of(const WorkloadSpec& spec, const TimingSamples& timing,
                     const Analysis& analysis, std::optional<WorkDone> work = {},
                     std::span<const ProcessRecord> processes = {}) {
  auto set = compute_metrics({.spec = spec,
                              .timing = timing,
                              .analysis = analysis,
                              .work = std::move(work),
                              .processes = processes});
  EXPECT_TRUE(set.ok()) << (set.ok() ? "" : set.error().message);
  return set.ok() ? std::move(set).value() : MetricSet{};
}

double value_of(const MetricSet& set, std::string_view id) {
  const MetricValue* value = find(set, id);
  EXPECT_NE(value, nullptr) << id;
  return value == nullptr ? -1.0 : value->value;
}

TEST(Metrics, StepTimesAreStatisticsOfProcessesNotOfSteps) {
  const WorkloadSpec spec;
  const MetricSet set = metrics_of(spec, two_processes(), {}, work_of(16.0));
  EXPECT_EQ(find(set, "step_time_p50")->samples, (std::vector<double>{4.0, 5.0}));
  EXPECT_DOUBLE_EQ(value_of(set, "step_time_p50"), 4.5);
  EXPECT_DOUBLE_EQ(find(set, "step_time_p05")->samples[0], 4.0);
  EXPECT_DOUBLE_EQ(find(set, "step_time_p90")->samples[0], 5.2);
  EXPECT_DOUBLE_EQ(find(set, "step_time_mean")->samples[0], 4.4);
  EXPECT_DOUBLE_EQ(find(set, "tokens_per_s")->samples[0], 4000.0);
  EXPECT_EQ(find(set, "tokens_per_s")->better, Better::higher);
}

TEST(Metrics, TracedMetricsArePerStepAndCountsAreExact) {
  HandMade made;
  made.steps(12, 1'000'000, 400'000);
  const WorkloadSpec spec = step_spec();
  const MetricSet set = metrics_of(spec, {}, analyze_one(made.capture, spec));
  EXPECT_DOUBLE_EQ(value_of(set, "gpu_busy_ms"), 0.4);
  EXPECT_DOUBLE_EQ(value_of(set, "gpu_idle_ms"), 0.6);
  EXPECT_DOUBLE_EQ(value_of(set, "family_ms/gemm"), 0.4);
  EXPECT_DOUBLE_EQ(value_of(set, "kernel_launches"), 1.0);
  EXPECT_DOUBLE_EQ(value_of(set, "launch_calls"), 1.0);
  EXPECT_DOUBLE_EQ(value_of(set, "copies"), 0.0);
  EXPECT_DOUBLE_EQ(value_of(set, "unclassified_percent"), 0.0);
  EXPECT_DOUBLE_EQ(value_of(set, "exposed_communication_ms"), 0.0);
  EXPECT_EQ(find(set, "kernel_launches")->kind, MetricKind::counted);
  EXPECT_EQ(find(set, "gpu_idle_ms")->kind, MetricKind::traced);
  EXPECT_NEAR(value_of(set, "idle_ms/host") + value_of(set, "idle_ms/launch_overhead"), 0.6, 1e-9);
}

TEST(Metrics, ALaunchOfAGraphIsOneLaunchCallOfManyKernels) {
  HandMade graphs;
  for (int i = 0; i < 6; ++i) {
    const auto id = static_cast<std::uint32_t>(10 + i);
    const std::int64_t at = std::int64_t{i} * 1000;
    graphs.call(at, at + 20, ApiClass::graph_launch, id);
    graphs.call(at + 5, at + 15, ApiClass::graph_launch);
    graphs.node(at + 50, at + 150, id, 1);
    graphs.node(at + 160, at + 260, id, 2);
  }
  MetricSet set = metrics_of(plain_spec(), {}, analyze_one(graphs.capture, plain_spec()));
  EXPECT_DOUBLE_EQ(value_of(set, "kernel_launches"), 2.0);
  EXPECT_DOUBLE_EQ(value_of(set, "launch_calls"), 1.0) << "the driver's call lies inside";
  EXPECT_DOUBLE_EQ(value_of(set, "graph_launches"), 1.0);
  HandMade eager;
  eager.steps(12);
  set = metrics_of(step_spec(), {}, analyze_one(eager.capture, step_spec()));
  EXPECT_DOUBLE_EQ(value_of(set, "launch_calls"), 1.0);
  EXPECT_DOUBLE_EQ(value_of(set, "graph_launches"), 0.0);
}

TEST(Metrics, KernelTimeIsTheMedianPerCallOfTheNamesThatMatch) {
  HandMade made;
  made.steps(12, 1'000'000, 400'000);
  WorkloadSpec spec = step_spec();
  spec.gates = {gate("kernel_us/sgemm.*"), gate("kernel_us/nvjet.*")};
  const MetricSet set = metrics_of(spec, {}, analyze_one(made.capture, spec));
  EXPECT_DOUBLE_EQ(value_of(set, "kernel_us/sgemm.*"), 400.0);
  ASSERT_EQ(set.missing.size(), 1U);
  EXPECT_EQ(set.missing[0].id, "kernel_us/nvjet.*");
  EXPECT_THAT(set.missing[0].reason, HasSubstr("no kernel name matches"));
}

TEST(Metrics, ReportedMetricsComeFromUntracedProcessesWithUnitAndDirection) {
  std::vector<ProcessRecord> processes(3);
  for (std::size_t i = 0; i < 3; ++i) {
    processes[i].results.emplace();
    processes[i].results->metrics = {
        {"ttft_ms", 10.0 + static_cast<double>(i), "ms", Better::lower}};
  }
  processes[2].role = ProcessRole::trace;
  const MetricSet set = metrics_of({}, {}, {}, {}, processes);
  EXPECT_EQ(find(set, "reported/ttft_ms")->samples, (std::vector<double>{10.0, 11.0}));
  EXPECT_EQ(find(set, "reported/ttft_ms")->unit, "ms");
  processes[1].results->metrics[0].unit = "s";
  WorkloadSpec spec;
  spec.gates = {gate("reported/ttft_ms")};
  EXPECT_THAT(metrics_of(spec, {}, {}, {}, processes).missing[0].reason,
              HasSubstr("different units"));
}

TEST(Metrics, AReportedMetricMustComeFromAllProcessesInOneDirection) {
  std::vector<ProcessRecord> processes(3);
  for (std::size_t i = 0; i < 3; ++i) {
    processes[i].index = static_cast<int>(i) + 1;
    processes[i].results.emplace();
    processes[i].results->metrics = {{"a", 10.0, "ms", Better::lower}};
  }
  WorkloadSpec spec;
  spec.gates = {gate("reported/a")};
  const auto missing = [&] {
    const auto set = metrics_of(spec, {}, {}, {}, processes);
    return set.missing.empty() ? std::string() : set.missing[0].reason;
  };
  EXPECT_EQ(missing(), "");
  processes[1].results->metrics.clear();
  EXPECT_EQ(missing(), "only some of the processes report 'a': process 2 does not");
  processes[0].results->metrics.clear();
  EXPECT_EQ(missing(), "only some of the processes report 'a': processes 1 and 2 do not");
  processes[0].results->metrics = processes[2].results->metrics;
  processes[1].results->metrics = {{"a", 10.0, "ms", Better::higher}};
  EXPECT_THAT(missing(), HasSubstr("do not agree whether lower or higher is better for 'a'"));
}

TEST(Metrics, UnknownIdsAreErrorsThatOfferTheNearest) {
  EXPECT_TRUE(is_known_metric("step_time_p50"));
  EXPECT_TRUE(is_known_metric("family_ms/attention"));
  EXPECT_FALSE(is_known_metric("family_ms/"));
  EXPECT_FALSE(is_known_metric("step_time"));
  EXPECT_EQ(nearest_metric("step_tme_p50"), "step_time_p50");
  EXPECT_EQ(nearest_metric("familly_ms/gemm"), "family_ms/gemm");
  const std::vector<FamilyRuleSpec> own{{"lm_head", "x"}};
  EXPECT_TRUE(check_metric_id("family_ms/lm_head", own).ok());
  EXPECT_TRUE(check_metric_id("family_ms/gemv", {}).ok());
  EXPECT_THAT(check_metric_id("family_ms/atention", {}).error().hint,
              HasSubstr("family_ms/attention"));
  EXPECT_THAT(check_metric_id("idle_ms/hst", {}).error().hint, HasSubstr("idle_ms/host"));
  EXPECT_THAT(check_metric_id("kernel_us/(", {}).error().message, HasSubstr("regular expression"));
  EXPECT_EQ(check_metric_id("gpu_idle", {}).error().code, ErrorCode::invalid_config);
}

TEST(Metrics, EveryCatalogueRowIsDocumentedAndUnique) {
  std::vector<std::string_view> ids;
  for (const MetricInfo& info : metric_catalog()) {
    EXPECT_FALSE(info.doc.empty()) << info.id;
    EXPECT_NE(info.compute, nullptr) << info.id;
    EXPECT_EQ(std::ranges::count(ids, info.id), 0) << info.id;
    ids.push_back(info.id);
  }
}

TEST(Floors, TheLargerOfMemoryAndComputeCountsAgainstEachCeiling) {
  const FloorSpec spec = declared();
  const WorkDone work = work_of({}, 15e9, 2e9, 2.4e11);
  const std::vector<RooflineCeiling> ceilings{{4.8e12, 989e12, "datasheet H200 SXM"},
                                              {4.6e12, {}, "measured"}};
  const FloorOutcome outcome = compute_floor(spec, work, ceilings, 5.0);
  ASSERT_TRUE(outcome.floor.has_value());
  EXPECT_DOUBLE_EQ(outcome.floor->bytes_per_step, 17e9);
  EXPECT_EQ(outcome.floor->bytes_source, "work line");
  EXPECT_DOUBLE_EQ(outcome.floor->achieved_bytes_per_s, 3.4e12);
  ASSERT_EQ(outcome.floor->against.size(), 2U);
  EXPECT_TRUE(outcome.floor->against[0].memory_bound);
  EXPECT_NEAR(outcome.floor->against[0].floor_ms, 17.0 / 4.8, 1e-9);
  EXPECT_NEAR(outcome.floor->against[0].percent_of_floor, 17.0 / 4.8 / 5.0 * 100.0, 1e-9);
  EXPECT_NEAR(outcome.floor->against[0].ridge_flop_per_byte, 989.0 / 4.8, 1e-9);
  EXPECT_NEAR(outcome.floor->intensity_flop_per_byte, 2.4e11 / 17e9, 1e-9);
}

TEST(Floors, TheGpuDecidesTheFloorOfOneGigabyte) {
  const FloorSpec spec = declared(1e9);
  const auto floor_us = [&](double bandwidth) {
    const std::vector<RooflineCeiling> one{{bandwidth, {}, "datasheet"}};
    return compute_floor(spec, {}, one, 1.0).floor->against[0].floor_ms * 1e3;
  };
  EXPECT_NEAR(floor_us(1555.2e9), 643.0, 0.05);
  EXPECT_NEAR(floor_us(696.1e9), 1436.6, 0.05);
}

TEST(Floors, GiveEachUntracedProcessItsBandwidthAndItsShareOfTheFloor) {
  Analysis analysis;
  const std::vector<RooflineCeiling> one{{4e12, {}, "datasheet"}};
  analysis.floor = compute_floor(declared(8e9), {}, one, 4.0).floor;
  WorkloadSpec spec;
  spec.gates = {gate("achieved_bytes_per_s"), gate("floor_percent")};
  const MetricSet set = metrics_of(spec, two_processes(), analysis);
  EXPECT_THAT(find(set, "achieved_bytes_per_s")->samples, testing::ElementsAre(2e12, 1.6e12));
  EXPECT_THAT(find(set, "floor_percent")->samples, testing::ElementsAre(50.0, 40.0));
}

TEST(Floors, WithoutFiguresTheProblemSaysWhatToDeclare) {
  EXPECT_TRUE(compute_floor({}, {}, {}, 1.0).problem.empty());
  EXPECT_THAT(compute_floor(declared(), {}, {}, 1.0).problem, HasSubstr("declare floor.weights"));
  EXPECT_THAT(compute_floor(declared(1e9), {}, {}, 1.0).problem, HasSubstr("perfgate calibrate"));
}

TEST(Datasheet, TellsBoardVariantsApartAndLeavesUnknownOnesOut) {
  EXPECT_EQ(datasheet_ceiling("NVIDIA H200")->source, "datasheet H200 SXM");
  EXPECT_EQ(datasheet_ceiling("NVIDIA H100 80GB HBM3")->source, "datasheet H100 SXM");
  EXPECT_EQ(datasheet_ceiling("NVIDIA H100 PCIe")->source, "datasheet H100 PCIe");
  EXPECT_EQ(datasheet_ceiling("NVIDIA A100-SXM4-80GB")->source, "datasheet A100 SXM 80 GB");
  EXPECT_EQ(datasheet_ceiling("NVIDIA L40S")->source, "datasheet L40S");
  EXPECT_EQ(datasheet_ceiling("NVIDIA H200 NVL")->rate_flop_per_s, 835.5e12);
  EXPECT_EQ(datasheet_ceiling("NVIDIA H100 NVL")->bandwidth_bytes_per_s, 3.9e12);
  EXPECT_EQ(datasheet_ceiling("NVIDIA H100 PCIe")->bandwidth_bytes_per_s, 2.0e12);
  EXPECT_FALSE(datasheet_ceiling("NVIDIA H200 MIG 1g.18gb").has_value());
  EXPECT_FALSE(datasheet_ceiling("NVIDIA B200").has_value()) << "the sheets disagree";
  EXPECT_FALSE(datasheet_ceiling("NVIDIA A40").has_value());
  EXPECT_FALSE(datasheet_ceiling("").has_value());
  EXPECT_FALSE(datasheet_ceiling("NVIDIA GeForce RTX 4090 Laptop GPU").has_value());
}

}  // namespace
}  // namespace perfgate::analysis
