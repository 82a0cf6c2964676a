// What perfgate names in recorded runs with planted faults, and their ledgers.
#include "workloads/builtin/faults.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/bench/faults/recorded_faults.h"

namespace perfgate::bench {
namespace {

struct Expected {
  std::string run;
  std::vector<std::string> rules;        ///< all of them are named, this one first
  std::set<std::string> consequences{};  ///< may be named beside them; none else
};

/// Which rules name a planted fault. skip_layers makes steps faster: no rule.
const std::map<std::string, std::string>& rule_of_fault() {
  static const std::map<std::string, std::string> kRules{{"graphs_off", "graphs_off"},
                                                         {"sync_per_layer", "sync_in_step"},
                                                         {"h2d_mib", "h2d_copy_per_step"},
                                                         {"d2h_wait_kib", "d2h_wait_per_step"},
                                                         {"host_delay_us", "host_work_per_step"},
                                                         {"spin_us", "extra_kernel"},
                                                         {"alloc_mib", "allocation_per_step"},
                                                         {"gemm_slow", "gemm_algorithm"},
                                                         {"fp32_mlp", "wider_weights"},
                                                         {"unfused_norm", "unfused_elementwise"},
                                                         {"context_x2", "longer_context"},
                                                         {"no_split_k", "attention_without_split"},
                                                         {"split_launch", "split_launches"},
                                                         {"transpose_copy", "transpose_copies"},
                                                         {"jit_in_window", "jit_in_window"},
                                                         {"skip_layers", ""}};
  return kRules;
}

/// The faults of "context_x2=32,spin_us=300".
std::vector<std::string> faults_of(const std::string& planted) {
  std::vector<std::string> names;
  std::istringstream text(planted);
  for (std::string word; std::getline(text, word, ',');)
    names.push_back(word.substr(0, word.find('=')));
  return names;
}

double explained_ms(const Explained& explained) {
  double ms = 0.0;
  for (const Diagnosis& cause : explained.causes) ms += cause.explains_ms;
  return ms;
}

/// What there is to explain at most.
double upper_end_ms(const LedgerChange& step) {
  return std::max(0.0, step.change() + (step.within_noise() ? step.half_width.value_or(0.0) : 0.0));
}

class PlantedFault : public ::testing::TestWithParam<Expected> {};

TEST_P(PlantedFault, IsNamed) {
  const FaultRun* head = find_run(runs(), GetParam().run);
  ASSERT_NE(head, nullptr);
  const FaultRun* base = base_of(runs(), *head);
  ASSERT_NE(base, nullptr);
  const Explained explained = explain(*base, *head);
  for (const std::string& rule : GetParam().rules)
    EXPECT_TRUE(named(explained).contains(rule)) << "named: " << told(explained);
  ASSERT_FALSE(explained.causes.empty());
  EXPECT_EQ(explained.causes.front().rule, GetParam().rules.front()) << told(explained);
  for (const std::string& rule : named(explained)) {
    const bool planted = std::ranges::find(GetParam().rules, rule) != GetParam().rules.end();
    EXPECT_TRUE(planted || GetParam().consequences.contains(rule)) << told(explained);
  }
  // What is planted is what is expected.
  std::vector<std::string> rules;
  for (const std::string& fault : faults_of(head->planted))
    rules.push_back(rule_of_fault().at(fault));
  EXPECT_THAT(GetParam().rules, ::testing::UnorderedElementsAreArray(rules));
}

TEST_P(PlantedFault, IsSaidToBeSureAsFarAsTheLedgerIs) {
  const FaultRun* head = find_run(runs(), GetParam().run);
  ASSERT_NE(head, nullptr);
  const Explained explained = explain(*base_of(runs(), *head), *head);
  for (const Diagnosis& cause : explained.causes) {
    const auto most = explained.ledger.established ? Confidence::certain : Confidence::likely;
    EXPECT_GE(cause.confidence, most) << cause.rule;
  }
}

std::string name_of_case(const ::testing::TestParamInfo<Expected>& info) { return info.param.run; }

INSTANTIATE_TEST_SUITE_P(FullSize, PlantedFault,
                         ::testing::Values(Expected{"graphs_off", {"graphs_off"}},
                                           Expected{"h2d", {"h2d_copy_per_step"}},
                                           Expected{"d2h_wait", {"d2h_wait_per_step"}},
                                           Expected{"host_delay", {"host_work_per_step"}},
                                           Expected{"alloc", {"allocation_per_step"}},
                                           Expected{"gemm_slow", {"gemm_algorithm"}},
                                           Expected{"fp32_mlp", {"wider_weights"}},
                                           Expected{"unfused_norm", {"unfused_elementwise"}},
                                           Expected{"context_x2", {"longer_context"}},
                                           Expected{"no_split_k", {"attention_without_split"}},
                                           Expected{"split_launch", {"split_launches"}},
                                           Expected{"transpose_copy", {"transpose_copies"}},
                                           Expected{"spin", {"extra_kernel"}},
                                           Expected{"jit", {"jit_in_window"}}),
                         name_of_case);

INSTANTIATE_TEST_SUITE_P(AboutTwoPercent, PlantedFault,
                         ::testing::Values(Expected{"h2d_small", {"h2d_copy_per_step"}},
                                           Expected{"d2h_wait_small", {"d2h_wait_per_step"}},
                                           Expected{"host_delay_small", {"host_work_per_step"}},
                                           Expected{"alloc_small", {"allocation_per_step"}},
                                           Expected{"gemm_slow_small", {"gemm_algorithm"}},
                                           Expected{"unfused_norm_small", {"unfused_elementwise"}},
                                           Expected{"context_x2_small", {"longer_context"}},
                                           Expected{"no_split_k_small",
                                                    {"attention_without_split"}},
                                           Expected{"transpose_copy_small", {"transpose_copies"}},
                                           Expected{"spin_small", {"extra_kernel"}},
                                           Expected{"fp32_mlp_small", {"wider_weights"}}),
                         name_of_case);

// The rules were written on decode at batch 16.
INSTANTIATE_TEST_SUITE_P(
    OtherWorkloads, PlantedFault,
    ::testing::Values(
        Expected{"eager_sync", {"sync_in_step"}}, Expected{"eager_h2d", {"h2d_copy_per_step"}},
        Expected{"eager_split_launch", {"split_launches"}},
        Expected{"eager_sync_small", {"sync_in_step"}, {"host_work_per_step"}},
        Expected{"eager_fp32_mlp", {"wider_weights"}},
        Expected{"b64_context_x2", {"longer_context"}},
        Expected{"b64_transpose_copy", {"transpose_copies"}},
        Expected{"b64_graphs_off", {"graphs_off"}}, Expected{"b64_d2h_wait", {"d2h_wait_per_step"}},
        Expected{"prefill_unfused_norm", {"unfused_elementwise"}},
        Expected{"prefill_gemm_slow", {"gemm_algorithm"}},
        Expected{"torch_graphs_off", {"graphs_off"}}, Expected{"torch_h2d", {"h2d_copy_per_step"}},
        Expected{"torch_fp32_mlp", {"wider_weights"}, {"kernel_changed"}},
        Expected{"torch_unfused", {"unfused_elementwise"}, {"transpose_copies"}}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    TwoAtOnce, PlantedFault,
    ::testing::Values(Expected{"two_graphs_h2d", {"h2d_copy_per_step", "graphs_off"}},
                      Expected{"two_context_transpose", {"transpose_copies", "longer_context"}},
                      Expected{"two_fp32_host", {"wider_weights", "host_work_per_step"}},
                      Expected{"two_unfused_d2h", {"unfused_elementwise", "d2h_wait_per_step"}},
                      Expected{"two_split_alloc", {"allocation_per_step", "split_launches"}},
                      Expected{"two_gemm_context", {"gemm_algorithm", "longer_context"}},
                      Expected{"two_nosplitk_spin", {"attention_without_split", "extra_kernel"}},
                      Expected{"two_transpose_h2d", {"transpose_copies", "h2d_copy_per_step"}},
                      Expected{"two_graphs_sync", {"graphs_off", "sync_in_step"}},
                      Expected{"two_unfused_fp32", {"wider_weights", "unfused_elementwise"}}),
    name_of_case);

// Not named, because three processes a side leave it inside their noise: one traced process of
// base8 has 0.06 ms more of norm than the others; the prefill's untraced steps scatter by 0.7 ms
// around +1.4; the host row of eager PyTorch by 0.3 ms. Nothing else is named in their place.
// Whoever makes one of them visible moves it up.
TEST(PlantedFaultInNoise, IsNotTakenForAnother) {
  for (const auto& [name, first] :
       {std::pair{"split_launch_small", ""}, std::pair{"prefill_host_delay", ""},
        std::pair{"torch_sync", "graphs_off"}}) {
    const FaultRun* head = find_run(runs(), name);
    ASSERT_NE(head, nullptr);
    const FaultRun* base = base_of(runs(), *head);
    ASSERT_NE(base, nullptr);
    const Explained explained = explain(*base, *head);
    const std::set<std::string> wanted =
        *first == '\0' ? std::set<std::string>{} : std::set<std::string>{first};
    EXPECT_EQ(named(explained), wanted) << name << ": " << told(explained);
  }
}

TEST(PlantedFaults, AreThoseThatTheWorkloadsKnow) {
  std::set<std::string> known;
  for (const builtin::FaultInfo& fault : builtin::known_faults()) known.emplace(fault.name);
  std::set<std::string> expected;
  for (const auto& [fault, rule] : rule_of_fault()) expected.insert(fault);
  EXPECT_EQ(known, expected);
  std::set<std::string> recorded;
  for (const FaultRun& run : runs())
    recorded.merge([&] {
      const std::vector<std::string> names = faults_of(run.planted);
      return std::set<std::string>(names.begin(), names.end());
    }());
  EXPECT_EQ(known, recorded) << "each has a recording";
}

TEST(AllRuns, AreNotExplainedBeyondTheirChange) {
  for (const FaultRun& head : runs()) {
    const FaultRun* base = base_of(runs(), head);
    if (base == nullptr || base == &head) continue;
    const Explained explained = explain(*base, head);
    EXPECT_LE(explained_ms(explained), upper_end_ms(explained.ledger.step) + 1e-9)
        << head.name << ": " << told(explained);
    for (const Diagnosis& cause : explained.causes) EXPECT_GE(cause.explains_ms, 0.0) << head.name;
  }
}

TEST(Ledger, OfEveryFaultOfTheGpuIsEstablishedAndSumsToTheChange) {
  for (const char* name : {"graphs_off", "h2d", "gemm_slow", "fp32_mlp", "unfused_norm",
                           "context_x2", "no_split_k", "split_launch", "transpose_copy", "spin"}) {
    const FaultRun& head = *find_run(runs(), name);
    const Ledger ledger = explain(*base_of(runs(), head), head).ledger;
    double sum = 0.0;
    for (const LedgerRow& row : ledger.rows) sum += row.ms.change();
    EXPECT_NEAR(sum, ledger.step.change(), 1e-9) << name;
    EXPECT_TRUE(ledger.established)
        << name << ": " << ledger.rows.back().ms.change() << " of " << ledger.step.change();
  }
}

// The launch of a graph that the GPU waits for takes 0.25 ms and more while it is traced.
TEST(Ledger, OfAFaultThatLetsTheGpuWaitForAGraphIsEstablished) {
  for (const char* name : {"d2h_wait", "d2h_wait_small", "host_delay", "host_delay_small",
                           "alloc_small", "two_unfused_d2h"}) {
    const FaultRun& head = *find_run(runs(), name);
    const Ledger ledger = explain(*base_of(runs(), head), head).ledger;
    const auto launch = std::ranges::find(ledger.rows, "tracing, graph launch", &LedgerRow::name);
    ASSERT_NE(launch, ledger.rows.end()) << name;
    EXPECT_LT(launch->ms.change(), -0.2) << name;
    EXPECT_LT(std::abs(ledger.rows.back().ms.change()), 0.02) << name;
    EXPECT_TRUE(ledger.established) << name;
  }
}

// What a traced launch of a kernel costs more than an untraced one, a capture does not tell.
TEST(Ledger, OfAnEagerProgramThatWaitsIsNotEstablished) {
  for (const char* name : {"eager_sync", "two_graphs_sync"}) {
    const FaultRun& head = *find_run(runs(), name);
    EXPECT_FALSE(explain(*base_of(runs(), head), head).ledger.established) << name;
  }
}

TEST(Ledger, NamesTheLayersOfAReplayedGraphAsAnEagerRunDoes) {
  const auto kernels_by_place = [](const FaultRun& run) {
    std::map<std::string, std::int64_t> counts;
    const DeviceWindow& device = run.analysis.traced[0].devices[0];
    for (const WorkSite& site : device.sites) counts[site.place] += site.calls / device.steps;
    return counts;
  };
  const auto graph = kernels_by_place(*find_run(runs(), "base0"));
  const auto eager = kernels_by_place(*find_run(runs(), "graphs_off"));
  EXPECT_EQ(graph, eager);
  EXPECT_EQ(graph.at("decode/layer 17/output"), 1);
  EXPECT_EQ(graph.at("decode/layer 17/norm"), 2);
  EXPECT_GE(graph.size(), 32U * 6U);
}

}  // namespace
}  // namespace perfgate::bench
