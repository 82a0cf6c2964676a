// The ledger of two runs: what accounts for the change of a step.
#include "runner/analysis/ledger.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "tests/unit/analysis/hand_made.h"

namespace perfgate::analysis {
namespace {

constexpr int kSteps = 12;

struct StepShape {
  std::int64_t norm_ns = 100;
  std::int64_t gemm_ns = 500;
  std::int64_t period_ns = 1000;
  std::string gemm = "ampere_sgemm_128x128_tn";
  int gemms = 1;
  bool copy = false;
};

/// Per step and layer ("layer 0", "layer 1"): a norm, then `gemms` GEMMs, each in half the time.
Capture two_layers(const StepShape& shape) {
  HandMade made;
  std::uint32_t correlation = 100;
  for (int step = 0; step < kSteps; ++step) {
    const std::int64_t at = step * shape.period_ns * 2;
    made.range(at, at + shape.period_ns * 2 - 10, "decode#" + std::to_string(step));
    for (int layer = 0; layer < 2; ++layer) {
      std::int64_t now = at + layer * shape.period_ns;
      made.range(now + 1, now + shape.period_ns - 20, "layer " + std::to_string(layer));
      const auto launch = [&](std::int64_t length, std::string_view name) {
        made.call(now + 2, now + 3, ApiClass::kernel_launch, ++correlation);
        made.kernel(now + 5, now + 5 + length, correlation, name).grid = {8, 1, 1};
        now += length + 5;
      };
      launch(shape.norm_ns, "rms_norm_kernel");
      for (int i = 0; i < shape.gemms; ++i) launch(shape.gemm_ns / shape.gemms, shape.gemm);
      if (shape.copy) {
        made.call(now + 2, now + 3, ApiClass::copy, ++correlation);
        made.copy(now + 5, now + 45, correlation);
      }
    }
  }
  return made.capture;
}

/// A run of three traced processes, whose GEMMs differ by a nanosecond, and of untraced steps that
/// take as long as the traced ones.
struct Traced {
  explicit Traced(const StepShape& shape) {
    TimingSamples timing;
    for (int i = 0; i < 3; ++i) {
      StepShape one = shape;
      one.gemm_ns += std::int64_t{i} * shape.gemms;
      captures.push_back(two_layers(one));
      timing.processes.push_back(
          {.process = i,
           .step_ms = std::vector<double>(40, 2e-6 * static_cast<double>(shape.period_ns))});
    }
    std::vector<TracedInput> traced;
    for (const Capture& capture : captures) {
      traced.push_back({.process = static_cast<int>(traced.size()),
                        .captures = {&capture},
                        .traced_step_ms = {},
                        .first_captured_step = 0});
    }
    auto made = analyze(
        {.spec = step_spec(), .traced = traced, .timing = timing, .work = {}, .ceilings = {}});
    EXPECT_TRUE(made.ok());
    analysis = std::move(made).value();
    for (const ProcessTiming& process : timing.processes) step_ms.push_back(process.step_ms[0]);
  }

  [[nodiscard]] LedgerInput input() const { return {.analysis = &analysis, .step_ms = step_ms}; }

  std::vector<Capture> captures;
  Analysis analysis;
  std::vector<double> step_ms;
};

const LedgerRow* row_of(const Ledger& ledger, std::string_view name) {
  const auto found = std::ranges::find(ledger.rows, name, &LedgerRow::name);
  return found == ledger.rows.end() ? nullptr : &*found;
}

double sum_of_changes(const Ledger& ledger) {
  double sum = 0.0;
  for (const LedgerRow& row : ledger.rows) sum += row.ms.change();
  return sum;
}

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

DeviceWindow& device_of(TracedProcess& process) { return process.devices[0]; }

TEST(Ledger, PartsOfTheTracedStepSumToItsChange) {
  const Traced base({});
  const Traced head({.norm_ns = 130, .gemm_ns = 700, .period_ns = 1290, .copy = true});
  const Ledger ledger = make_ledger(base.input(), head.input());
  double sum = 0.0;
  for (const LedgerRow& row : ledger.rows) {
    if (row.part == LedgerPart::family || row.part == LedgerPart::idle) sum += row.ms.change();
  }
  EXPECT_NEAR(sum, ledger.head.traced_step_ms - ledger.base.traced_step_ms, 1e-12);
  EXPECT_GT(sum, 0.0);
}

TEST(Ledger, TakesOutWhatMoreRecordsCost) {
  Traced base({});
  Traced head({.gemm_ns = 800, .period_ns = 1400, .gemms = 4});
  // Each record costs 10 ns: the untraced steps are shorter by as many as they have.
  const double cost_ms = 10e-6;
  for (Traced* run : {&base, &head}) {
    for (std::size_t i = 0; i < run->analysis.traced.size(); ++i) {
      TracedProcess& process = run->analysis.traced[i];
      run->step_ms[i] = process.traced_step_ms - cost_ms * process.records_per_step;
      process.traced_over_untraced = process.traced_step_ms / run->step_ms[i];
    }
  }
  const Ledger ledger = make_ledger(base.input(), head.input());
  ASSERT_GT(ledger.head.records, ledger.base.records);
  EXPECT_NEAR(row_of(ledger, "tracing")->ms.change(),
              -cost_ms * (ledger.head.records - ledger.base.records), 1e-9);
  EXPECT_NEAR(row_of(ledger, "unattributed")->ms.change(), 0.0, 1e-9);
  EXPECT_NEAR(sum_of_changes(ledger), ledger.step.change(), 1e-12);
}

/// The same gap in each process of a run, beside what the analysis found.
void add_gap_site(Traced& run, const GapSite& site) {
  for (TracedProcess& process : run.analysis.traced)
    device_of(process).every_gap_site.push_back(site);
}

TEST(Ledger, ListsTheGapsOfAPairOfKernelsOnceWhateverTheirCauseWas) {
  Traced base({});
  Traced head({});
  const auto steps = device_of(base.analysis.traced[0]).steps;
  add_gap_site(base, {.cause = IdleCause::device_wait,
                      .before = "argmax",
                      .after = "embed",
                      .host_range = "",
                      .total_ns = 4200 * steps,
                      .count = steps});
  add_gap_site(head, {.cause = IdleCause::host,
                      .before = "argmax",
                      .after = "embed",
                      .host_range = "decode",
                      .total_ns = 90'000 * steps,
                      .count = steps});
  const Ledger ledger = make_ledger(base.input(), head.input());
  std::vector<GapChange> found;
  for (const LedgerRow& row : ledger.rows) {
    for (const GapChange& gap : row.gaps) {
      if (gap.before == "argmax") found.push_back(gap);
    }
  }
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].base_ms, 4.2e-3, 1e-9);
  EXPECT_NEAR(found[0].head_ms, 90e-3, 1e-9);
  EXPECT_EQ(found[0].host_range, "decode");
}

TEST(Ledger, ComparesGapsThatAResultLeavesOut) {
  Traced base({});
  Traced head({});
  for (Traced* run : {&base, &head}) {
    for (TracedProcess& process : run->analysis.traced) {
      EXPECT_GE(device_of(process).every_gap_site.size(), device_of(process).gap_sites.size());
      device_of(process).gap_sites.clear();
    }
  }
  const Ledger ledger = make_ledger(base.input(), head.input());
  std::size_t gaps = 0;
  for (const LedgerRow& row : ledger.rows) gaps += row.gaps.size();
  EXPECT_GT(gaps, 0U);
}

TEST(Ledger, LeavesDevicesWithoutStepsOutOfEveryMean) {
  const Traced base({});
  Traced head({});
  const Ledger alone = make_ledger(base.input(), head.input());
  for (TracedProcess& process : head.analysis.traced) process.devices.emplace_back();
  const Ledger beside = make_ledger(base.input(), head.input());
  for (const LedgerRow& row : alone.rows) {
    const LedgerRow* other = row_of(beside, row.name);
    EXPECT_NEAR(other->ms.head, row.ms.head, 1e-12) << row.name;
    ASSERT_EQ(other->gaps.size(), row.gaps.size());
    for (std::size_t i = 0; i < row.gaps.size(); ++i)
      EXPECT_NEAR(other->gaps[i].head_ms, row.gaps[i].head_ms, 1e-12) << row.name;
  }
}

TEST(Ledger, SaysThatCapturesAreInvalid) {
  const Traced base({});
  Traced head({});
  for (TracedProcess& process : head.analysis.traced) {
    process.verdict.validity = Validity::invalid;
    process.verdict.reasons = {"CUPTI lost 3 records of the process: trace fewer steps"};
  }
  const Ledger ledger = make_ledger(base.input(), head.input());
  EXPECT_FALSE(ledger.established);
  EXPECT_EQ(ledger.problem,
            "the captures of the head are invalid: CUPTI lost 3 records of the process: trace "
            "fewer steps");
  EXPECT_FALSE(ledger.rows.empty());
  // Where one is usable, the others are left out.
  head.analysis.traced[1].verdict.validity = Validity::suspect;
  const Ledger one = make_ledger(base.input(), head.input());
  EXPECT_EQ(one.head.traced, 1);
  EXPECT_EQ(one.problem, "");
}

/// Sites without places, in this order, one call a step each.
void set_sites(Traced& run, const std::vector<std::pair<std::string, std::string>>& kernels) {
  for (TracedProcess& process : run.analysis.traced) {
    DeviceWindow& device = device_of(process);
    device.sites.clear();
    for (const auto& [name, family] : kernels) {
      WorkSite& site = device.sites.emplace_back();
      site.name = name;
      site.family = family;
      site.grid = {8, 1, 1};
      site.calls = device.steps;
      site.charged_ns = 100 * device.steps;
    }
  }
}

std::map<std::string, std::string> replaced_by(const Ledger& ledger) {
  std::map<std::string, std::string> pairs;
  for (const LedgerRow& row : ledger.rows) {
    for (const KernelChange& kernel : row.kernels) {
      if (kernel.fate == KernelFate::replaced) pairs[kernel.base.name] = kernel.head.name;
    }
  }
  return pairs;
}

TEST(Ledger, CallsAKernelWithoutAPlaceReplacedOnlyBetweenTheSameNeighbours) {
  Traced base({});
  Traced head({});
  set_sites(base, {{"a_gemm", "gemm"}, {"norm", "norm"}, {"b_gemm", "gemm"}, {"silu", "norm"}});
  // The first is gone; the second has another kernel where it was.
  set_sites(head, {{"norm", "norm"}, {"c_gemm", "gemm"}, {"silu", "norm"}});
  const std::map<std::string, std::string> expected{{"b_gemm", "c_gemm"}};
  EXPECT_EQ(replaced_by(make_ledger(base.input(), head.input())), expected);
}

TEST(Ledger, ComparesAllPlacesWithoutIndicesWhereOneProcessHasNone) {
  const Traced base({});
  Traced head({});
  for (TracedProcess& process : head.analysis.traced) {
    DeviceWindow& device = device_of(process);
    std::vector<WorkSite> merged(device.sites.begin(), device.sites.begin() + 2);
    for (std::size_t i = 0; i < merged.size(); ++i) {
      merged[i].place = "decode#*/layer *";
      merged[i].calls += device.sites[i + 2].calls;
      merged[i].charged_ns += device.sites[i + 2].charged_ns;
    }
    device.sites = merged;
    device.sites_collapsed = true;
  }
  const Ledger ledger = make_ledger(base.input(), head.input());
  for (const LedgerRow& row : ledger.rows) EXPECT_TRUE(row.kernels.empty()) << row.name;
  EXPECT_EQ(ledger.work, WorkIdentity::same_launches);
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
