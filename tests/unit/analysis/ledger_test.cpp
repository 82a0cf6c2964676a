// The ledger of two runs: what accounts for the change of a step.
#include "runner/analysis/ledger.h"

#include <map>

#include <gtest/gtest.h>

#include "tests/unit/analysis/hand_made.h"
#include "tests/unit/analysis/two_layers.h"

namespace perfgate::analysis {
namespace {

TEST(WorkSites, ShareTheBusyTimeAmongThemAndKnowTheirLayers) {
  const Traced run({});
  const DeviceWindow& device = only_device(run.analysis);
  std::int64_t charged = 0;
  for (const WorkSite& site : device.sites) charged += site.charged_ns;
  EXPECT_EQ(charged, device.busy_ns);
  ASSERT_EQ(device.sites.size(), 4U);
  EXPECT_EQ(device.sites[0].place, "decode#*/layer 0");
  EXPECT_EQ(device.sites[0].name, "rms_norm_kernel");
  EXPECT_EQ(device.sites[3].place, "decode#*/layer 1");
  EXPECT_EQ(device.sites[3].calls, device.steps);
}

/// A graph that was captured outside any step: "layer 0" and "layer 1" are its outermost ranges.
TEST(WorkSites, KnowTheLayerOfAReplayedGraphsNodes) {
  HandMade made;
  for (int i = 0; i < 12; ++i) {
    const std::int64_t at = std::int64_t{i} * 1000;
    const auto id = 100 + static_cast<std::uint32_t>(i);
    made.range(at, at + 500, "decode#" + std::to_string(i));
    made.call(at + 10, at + 30, ApiClass::graph_launch, id);
    made.node(at + 40, at + 140, id, 71);
    made.node(at + 150, at + 250, id, 72);
  }
  made.capture.graph_nodes.push_back({.node = 71,
                                      .original_node = 0,
                                      .graph = 3,
                                      .nvtx_path = made.text("layer 0/qkv"),
                                      .kind = GraphNodeKind::kernel});
  made.capture.graph_nodes.push_back({.node = 72,
                                      .original_node = 0,
                                      .graph = 3,
                                      .nvtx_path = made.text("layer 1/qkv"),
                                      .kind = GraphNodeKind::kernel});
  const Analysis analysis = analyze_one(made.capture, step_spec());
  const DeviceWindow& device = only_device(analysis);
  ASSERT_EQ(device.sites.size(), 2U);
  EXPECT_EQ(device.sites[0].place, "decode#*/layer 0/qkv");
  EXPECT_EQ(device.sites[1].place, "decode#*/layer 1/qkv");
}

TEST(Ledger, OfASlowerKernelNamesItAndSumsToTheChange) {
  const Traced base({});
  const Traced head({.gemm_ns = 700, .period_ns = 1200});
  const Ledger ledger = make_ledger(base.input(), head.input());
  EXPECT_NEAR(ledger.step.change(), 400e-6, 1e-9);
  EXPECT_NEAR(sum_of_changes(ledger), ledger.step.change(), 1e-12);
  ASSERT_EQ(ledger.rows.front().name, "gemm");
  EXPECT_NEAR(ledger.rows.front().ms.change(), 400e-6, 1e-9);
  EXPECT_FALSE(ledger.rows.front().ms.within_noise());
  EXPECT_TRUE(ledger.established) << ledger.problem;
  ASSERT_EQ(ledger.rows.front().kernels.size(), 1U);
  const KernelChange& kernel = ledger.rows.front().kernels.front();
  EXPECT_EQ(kernel.fate, KernelFate::slower);
  EXPECT_EQ(kernel.place, "decode#*/layer *");
  EXPECT_EQ(kernel.places, 2);
  EXPECT_NEAR(kernel.base.calls_per_step, 2.0, 1e-9);
  EXPECT_EQ(ledger.work, WorkIdentity::same_launches);
}

TEST(Ledger, OfEqualRunsHasNothingBeyondItsNoise) {
  const Traced base({});
  const Traced head({});
  const Ledger ledger = make_ledger(base.input(), head.input());
  for (const LedgerRow& row : ledger.rows) {
    EXPECT_TRUE(row.ms.within_noise()) << row.name;
    EXPECT_TRUE(row.kernels.empty()) << row.name;
  }
  EXPECT_TRUE(ledger.established);
}

TEST(Ledger, CallsAKernelReplacedWhereAnotherDoesItsWork) {
  const Traced base({});
  const Traced head({.gemm_ns = 600, .period_ns = 1100, .gemm = "cutlass_80_wmma_tensorop_gemm"});
  const Ledger ledger = make_ledger(base.input(), head.input());
  const LedgerRow* gemm = row_of(ledger, "gemm");
  ASSERT_NE(gemm, nullptr);
  ASSERT_EQ(gemm->kernels.size(), 1U);
  EXPECT_EQ(gemm->kernels[0].fate, KernelFate::replaced);
  EXPECT_EQ(gemm->kernels[0].base.name, "ampere_sgemm_128x128_tn");
  EXPECT_EQ(gemm->kernels[0].head.name, "cutlass_80_wmma_tensorop_gemm");
  EXPECT_EQ(ledger.work, WorkIdentity::differs);
}

TEST(Ledger, CountsTheCallsOfASplitLaunch) {
  const Traced base({});
  const Traced head({.gemm_ns = 800, .period_ns = 1400, .gemms = 4});
  const Ledger ledger = make_ledger(base.input(), head.input());
  const LedgerRow* gemm = row_of(ledger, "gemm");
  ASSERT_NE(gemm, nullptr);
  ASSERT_EQ(gemm->kernels.size(), 1U);
  EXPECT_EQ(gemm->kernels[0].fate, KernelFate::more_often);
  EXPECT_NEAR(gemm->kernels[0].head.calls_per_step, 8.0, 1e-9);
  EXPECT_NEAR(ledger.head.counts.at("kernel_launches"), 10.0, 1e-9);
  EXPECT_NEAR(ledger.base.counts.at("launch_calls"), 4.0, 1e-9);
}

TEST(Ledger, ShowsAnAddedCopyAtItsPlace) {
  const Traced base({});
  const Traced head({.period_ns = 1060, .copy = true});
  const Ledger ledger = make_ledger(base.input(), head.input());
  const LedgerRow* copies = row_of(ledger, "memcpy");
  ASSERT_NE(copies, nullptr);
  ASSERT_EQ(copies->kernels.size(), 1U);
  EXPECT_EQ(copies->kernels[0].fate, KernelFate::added);
  EXPECT_EQ(copies->kernels[0].head.name, "memcpy device to host");
  EXPECT_NEAR(ledger.head.counts.at("calls/copy"), 2.0, 1e-9);
  EXPECT_EQ(ledger.base.counts.count("calls/copy"), 0U);
}

TEST(Ledger, IsNotEstablishedWhenTheTracedStepsDoNotShowTheChange) {
  const Traced base({});
  Traced head({});
  for (double& ms : head.step_ms) ms *= 1.5;
  const Ledger ledger = make_ledger(base.input(), head.input());
  EXPECT_FALSE(ledger.established);
  EXPECT_NE(ledger.problem, "");
  EXPECT_NEAR(row_of(ledger, "unattributed")->ms.change(), ledger.step.change(), 1e-9);
}

/// Steps of one graph of two nodes, 900 ns together. `wait_ns` = 0: launched while the step before
/// runs, 100 ns after which the next begins. Else the host launches 20 ns after the step, and the
/// GPU waits inside the call.
std::vector<Capture> graph_steps(std::int64_t wait_ns) {
  const std::int64_t period = wait_ns == 0 ? 1000 : 920 + wait_ns;
  HandMade made;
  for (int i = 0; i < kSteps; ++i) {
    const std::int64_t at = 5000 + i * period;
    const auto id = 100 + static_cast<std::uint32_t>(i);
    const std::int64_t call = wait_ns == 0 ? at - 600 : at - wait_ns;
    made.range(call - 5, call + 60, "decode#" + std::to_string(i));
    made.call(call, wait_ns == 0 ? call + 50 : at + 10, ApiClass::graph_launch, id);
    made.node(at, at + 400, id, 71);
    made.node(at + 400, at + 900, id, 72);
  }
  return std::vector<Capture>(3, made.capture);
}

TEST(Ledger, TakesOutWhatTracingCostsInAGraphLaunchThatTheGpuWaitsFor) {
  const Traced base(graph_steps(0), 1000e-6);
  // Untraced the GPU waits for the host alone, 20 ns.
  const Traced head(graph_steps(380), 920e-6);
  const Ledger ledger = make_ledger(base.input(), head.input());
  EXPECT_NEAR(row_of(ledger, "launch_overhead")->ms.change(), 380e-6, 1e-12);
  const LedgerRow* launch = row_of(ledger, "tracing, graph launch");
  ASSERT_NE(launch, nullptr);
  EXPECT_EQ(launch->part, LedgerPart::tracing);
  EXPECT_NEAR(launch->ms.change(), -380e-6, 1e-12);
  EXPECT_NEAR(row_of(ledger, "tracing")->ms.change(), 0.0, 1e-12);
  EXPECT_NEAR(row_of(ledger, "unattributed")->ms.change(), 0.0, 1e-12);
  EXPECT_TRUE(ledger.established);
}

TEST(Ledger, TakesOutNoMoreOfAGraphLaunchThanTracingAdded) {
  const Traced base(graph_steps(0), 1000e-6);
  const Traced head(graph_steps(380), 1250e-6);
  const Ledger ledger = make_ledger(base.input(), head.input());
  EXPECT_NEAR(row_of(ledger, "tracing, graph launch")->ms.change(), -50e-6, 1e-12);
}

TEST(Ledger, HasNoRowForGraphLaunchesThatTheGpuDoesNotWaitFor) {
  const Traced base(graph_steps(0), 990e-6);
  const Traced head(graph_steps(0), 980e-6);
  EXPECT_EQ(row_of(make_ledger(base.input(), head.input()), "tracing, graph launch"), nullptr);
}

TEST(Ledger, OfARunWithoutTracesSaysSo) {
  const Traced base({});
  const Analysis untraced;
  const Ledger ledger =
      make_ledger(base.input(), {.analysis = &untraced, .step_ms = {2e-3, 2e-3, 2e-3}});
  EXPECT_TRUE(ledger.rows.empty());
  EXPECT_EQ(ledger.problem, "the head has no traced process with whole steps");
}

TEST(Ledger, TellsTheSameCodeFromTheSameName) {
  Traced base({});
  Traced head({});
  const auto set_code = [](Traced& run, std::uint64_t gemm) {
    for (TracedProcess& process : run.analysis.traced) {
      for (WorkSite& site : process.devices[0].sites)
        site.code_hash = site.family == "gemm" ? gemm : 7;
    }
  };
  set_code(base, 1);
  set_code(head, 1);
  EXPECT_EQ(make_ledger(base.input(), head.input()).work, WorkIdentity::same_code);
  set_code(head, 2);
  EXPECT_EQ(make_ledger(base.input(), head.input()).work, WorkIdentity::differs);
}

TEST(Ledger, AgainstAStoreIsMadeOfWhatWasComparedAndObserved) {
  Comparison step;
  step.metric = "step_time_p50";
  step.against = Against::store;
  step.base = 4.0;
  step.head = 5.0;
  step.interval_known = true;
  step.ci_low_ratio = 0.24;
  step.ci_high_ratio = 0.26;
  step.interval_level = 0.9779;
  step.n_base = 10;
  const std::vector<Observation> observed{
      {.metric = "family_ms/gemm",
       .unit = "ms",
       .base = 3.0,
       .head = 3.95,
       .noise = 0.01,
       .n_base = 10},
      {.metric = "idle_ms/host",
       .unit = "ms",
       .base = 1.0,
       .head = 1.0,
       .noise = 0.02,
       .n_base = 10},
      {.metric = "launch_calls", .unit = "", .base = 1.0, .head = 9.0, .noise = 0.0, .n_base = 10}};
  const Ledger ledger = make_ledger(std::span(&step, 1), observed, Analysis{});
  ASSERT_EQ(ledger.rows.size(), 3U);
  EXPECT_EQ(ledger.rows[0].name, "gemm");
  EXPECT_TRUE(ledger.established);
  EXPECT_NEAR(ledger.rows[2].ms.change(), 0.05, 1e-9);
  EXPECT_EQ(ledger.head.counts.at("launch_calls"), 9.0);
  // t with nine degrees: 2.262 at 95 %, 3.250 at 99 %, 2.763 at 97.79 %.
  EXPECT_NEAR(*ledger.rows[0].ms.half_width, 0.01 * 2.262 / 3.250, 1e-5);
  EXPECT_NEAR(*ledger.step.half_width, 0.04 * 2.262 / 2.763, 1e-4);
  EXPECT_EQ(*ledger.rows[1].ms.half_width, 0.02 * *ledger.rows[0].ms.half_width / 0.01);
  step.interval_level = 0.0;
  EXPECT_FALSE(make_ledger(std::span(&step, 1), observed, Analysis{}).step.half_width)
      << "an interval of a coverage that nobody states";
}

TEST(LedgerChange, WithoutAnIntervalIsNeitherWithinItsNoiseNorBeyond) {
  LedgerChange change{.base = 1.0, .head = 1.5};
  EXPECT_FALSE(change.within_noise());
  EXPECT_FALSE(change.beyond_noise());
  change.half_width = 0.4;
  EXPECT_TRUE(change.beyond_noise());
  change.half_width = 0.6;
  EXPECT_TRUE(change.within_noise());
}

TEST(ApiCalls, CountOnlyTheOutermostOfTheirClass) {
  HandMade made;
  made.steps(12);
  made.call(5, 9, ApiClass::synchronise);
  made.call(1005, 1009, ApiClass::synchronise);
  made.call(1006, 1008, ApiClass::synchronise);
  made.call(1007, 1008, ApiClass::module_load);
  const Analysis analysis = analyze_one(made.capture, step_spec());
  std::map<ApiClass, std::int64_t> calls;
  for (const ApiCallStat& stat : analysis.traced[0].api_calls) calls[stat.api_class] += stat.calls;
  EXPECT_EQ(calls[ApiClass::synchronise], 1);
  EXPECT_EQ(calls[ApiClass::module_load], 1);
  EXPECT_EQ(calls[ApiClass::kernel_launch], analysis.traced[0].steps);
}

}  // namespace
}  // namespace perfgate::analysis
