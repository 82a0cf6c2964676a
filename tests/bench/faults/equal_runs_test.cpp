// Runs in which nothing is wrong have no named cause.
#include <algorithm>
#include <array>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gates/contradiction_ledger.h"
#include "tests/bench/faults/recorded_faults.h"

namespace perfgate::bench {
namespace {

using ::testing::IsEmpty;

/// Runs of one workload and GPU in which nothing was planted.
std::vector<std::pair<const FaultRun*, const FaultRun*>> equal_pairs() {
  std::vector<std::pair<const FaultRun*, const FaultRun*>> pairs;
  for (const FaultRun& base : runs()) {
    for (const FaultRun& head : runs()) {
      const bool equal = base.file == "decode_16" && head.file == base.file &&
                         base.gpu == head.gpu && base.planted.empty() && head.planted.empty();
      if (equal && &base != &head) pairs.emplace_back(&base, &head);
    }
  }
  return pairs;
}

/// The gate that reads a result asks this of its ledger (gates/contradiction.h).
TEST(EveryRecordedRun, HasALedgerThatDoesNotContradictItself) {
  int compared = 0;
  for (const FaultRun& head : runs()) {
    const FaultRun* base = base_of(runs(), head);
    if (base == nullptr) continue;
    const auto step_metric = [](const FaultRun& run) {
      MetricValue metric;
      metric.id = "step_time_p50";
      metric.unit = "ms";
      metric.samples = run.step_ms;
      return metric;
    };
    const Explained explained = explain(*base, head);
    RunResult result;
    result.metrics = {step_metric(head)};
    result.base_arm.emplace().metrics = {step_metric(*base)};
    result.ledger = explained.ledger;
    result.diagnosis = explained.causes;
    EXPECT_EQ(gates::contradiction_of_ledger(result), "") << base->name << " -> " << head.name;
    ++compared;
  }
  EXPECT_GE(compared, 40);
}

TEST(EqualRuns, HaveNoNamedCause) {
  const auto pairs = equal_pairs();
  EXPECT_GE(pairs.size(), 84U);
  for (const auto& [base, head] : pairs) {
    const Explained explained = explain(*base, *head);
    EXPECT_THAT(explained.causes, IsEmpty())
        << base->name << " -> " << head->name << ": " << told(explained);
    EXPECT_EQ(explained.ledger.work, WorkIdentity::same_code) << base->name << head->name;
  }
}

/// Three processes of the three equal runs of one GPU, traced and untraced ones.
FaultRun some_of(const std::vector<const FaultRun*>& equal, std::span<const std::size_t> picked) {
  FaultRun run = *equal.front();
  run.step_ms.clear();
  run.captures.clear();
  for (const std::size_t pick : picked) {
    const FaultRun& from = *equal[pick / 3];
    run.step_ms.push_back(from.step_ms[pick % 3]);
    run.captures.push_back(from.captures[pick % 3]);
  }
  EXPECT_TRUE(analyse(run).ok());
  return run;
}

// Drawn, not measured: forty ways to make two runs out of the nine processes of three.
TEST(EqualRuns, PutTogetherAnewOutOfTheirProcessesHaveNoNamedCause) {
  std::mt19937 random(20261130);
  for (const auto& names : {std::array{"base0", "base1", "base2"},
                            std::array{"two_base", "again_base0", "again_base1"}}) {
    std::vector<const FaultRun*> equal;
    for (const char* name : names) equal.push_back(find_run(runs(), name));
    for (int draw = 0; draw < 20; ++draw) {
      std::array<std::size_t, 9> order{0, 1, 2, 3, 4, 5, 6, 7, 8};
      std::ranges::shuffle(order, random);
      const Explained explained = explain(some_of(equal, std::span(order).first(3)),
                                          some_of(equal, std::span(order).last(3)));
      EXPECT_THAT(explained.causes, IsEmpty()) << names[0] << draw << ": " << told(explained);
    }
  }
}

TEST(EqualRuns, OfEveryProcessAloneHaveNoNamedCause) {
  // One traced process a side has no interval: nothing may be concluded from single ones.
  const FaultRun& base = *find_run(runs(), "base0");
  for (const char* name : {"base0", "base1", "base2"}) {
    FaultRun single = *find_run(runs(), name);
    single.analysis.traced.resize(1);
    EXPECT_THAT(explain(base, single).causes, IsEmpty()) << name;
  }
}

/// A copy of a run whose captures were changed, analysed again.
FaultRun changed(const FaultRun& run, void (*change)(Capture&)) {
  FaultRun copy = run;
  for (Capture& capture : copy.captures) change(capture);
  EXPECT_TRUE(analyse(copy).ok());
  return copy;
}

void number_streams_anew(Capture& capture) {
  for (KernelRecord& kernel : capture.kernels) kernel.stream += 40;
  for (MemsetRecord& memset : capture.memsets) memset.stream += 40;
}

void rename_kernels(Capture& capture) {
  for (KernelRecord& kernel : capture.kernels) {
    std::string& name = capture.strings[kernel.name];
    if (name.size() > 2 && name.ends_with('v') && !name.ends_with("_v2v")) name += "_v2v";
    const auto at = name.find("streamed_gemm_kernel");
    if (at != std::string::npos) name.replace(at, 20, "streamed_gemm_kernem");
  }
}

void forget_the_code(Capture& capture) {
  for (KernelRecord& kernel : capture.kernels) kernel.code_hash = 0;
}

void rebuild_the_code(Capture& capture) {
  for (KernelRecord& kernel : capture.kernels) kernel.code_hash ^= 0x5555;
}

void forget_the_layers(Capture& capture) {
  for (GraphNodeRecord& node : capture.graph_nodes) node.nvtx_path = 0;
}

void number_graphs_anew(Capture& capture) {
  for (KernelRecord& kernel : capture.kernels) kernel.graph += 7;
  for (MemsetRecord& memset : capture.memsets) memset.graph += 7;
  for (CopyRecord& copy : capture.copies) copy.graph += 7;
  for (GraphNodeRecord& node : capture.graph_nodes) node.graph += 7;
}

void later(Capture& capture) {
  const std::int64_t by = 3'600'000'000'000;
  const auto shift = [&](auto& records) {
    for (auto& record : records) {
      record.start_ns += by;
      record.end_ns += by;
    }
  };
  shift(capture.kernels);
  shift(capture.copies);
  shift(capture.memsets);
  shift(capture.api_calls);
  shift(capture.overheads);
  shift(capture.ranges);
  for (CaptureWindow& window : capture.windows) {
    window.opened_ns += by;
    window.closed_ns += by;
  }
}

struct Harmless {
  const char* name;
  void (*change)(Capture&);
};

class HarmlessChange : public ::testing::TestWithParam<Harmless> {};

TEST_P(HarmlessChange, HasNoNamedCause) {
  const FaultRun& base = *find_run(runs(), "base0");
  const Explained explained = explain(base, changed(*find_run(runs(), "base1"), GetParam().change));
  EXPECT_THAT(explained.causes, IsEmpty()) << told(explained);
}

std::string name_of_change(const ::testing::TestParamInfo<Harmless>& tested) {
  return tested.param.name;
}

INSTANTIATE_TEST_SUITE_P(OfCaptures, HarmlessChange,
                         ::testing::Values(Harmless{"AnotherStream", number_streams_anew},
                                           Harmless{"KernelsRenamed", rename_kernels},
                                           Harmless{"CodeUnknown", forget_the_code},
                                           Harmless{"CodeRebuilt", rebuild_the_code},
                                           Harmless{"LayersUnnamed", forget_the_layers},
                                           Harmless{"OtherGraphIds", number_graphs_anew},
                                           Harmless{"AnHourLater", later}),
                         name_of_change);

TEST(HarmlessRuns, HaveNoNamedCause) {
  for (const char* name : {"plain", "quiet_spin", "seed_2"}) {
    const FaultRun& head = *find_run(runs(), name);
    const Explained explained = explain(*base_of(runs(), head), head);
    EXPECT_THAT(explained.causes, IsEmpty()) << name << ": " << told(explained);
  }
}

}  // namespace
}  // namespace perfgate::bench
