// What the ledger makes of the two sides: sums, tracing, gaps, devices, doubtful captures, sites.
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runner/analysis/ledger.h"
#include "tests/unit/analysis/two_layers.h"

namespace perfgate::analysis {
namespace {

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

}  // namespace
}  // namespace perfgate::analysis
