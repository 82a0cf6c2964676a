// What holds for all causes: several at once, contained ones, harmless changes, noise.
#include <array>
#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/analysis/diagnosis/diagnose.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/rule_catalog.h"
#include "runner/analysis/diagnosis/sentences.h"
#include "tests/unit/analysis/hand_made_ledger.h"

namespace perfgate::analysis {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;
using enum KernelFate;

double explained(const std::vector<Diagnosis>& causes) {
  double ms = 0.0;
  for (const Diagnosis& cause : causes) ms += cause.explains_ms;
  return ms;
}

TEST(Diagnosis, OfAnUnchangedStepIsEmpty) {
  EXPECT_THAT(HandMadeLedger().diagnosed(), IsEmpty());
  const Ledger nothing;
  EXPECT_THAT(diagnose({.ledger = nothing, .head = nullptr}), IsEmpty());
}

TEST(Diagnosis, NamesTwoCausesAtOnceAndNoMillisecondTwice) {
  HandMadeLedger made;
  made.counts("graph_launches", 1, 0).counts("launch_calls", 1, 259);
  made.counts("kernel_launches", 227, 259);
  made.more_in("gemm", 0.071).more_in("norm", 0.025).more_idle("launch_overhead", 0.4);
  made.added("elementwise_copy", side("transpose_copy_kernel", 32, 20));
  made.kernel("attention", slower, side(kAttention, 32, 20.5), side(kAttention, 32, 41));
  const auto causes = made.diagnosed();
  EXPECT_THAT(rules_of(causes), ElementsAre("longer_context", "transpose_copies", "graphs_off"));
  EXPECT_LE(explained(causes), made.made().step.change() + 1e-9);
  EXPECT_GE(explained(causes), 0.95 * made.made().step.change());
}

/// A ledger whose untraced step changed by less than its traced rows did.
std::vector<Diagnosis> with_change(const HandMadeLedger& made, double change_ms) {
  Ledger ledger = made.made();
  ledger.step.head = ledger.step.base + change_ms;
  return diagnose({.ledger = ledger});
}

TEST(Diagnosis, CausesThatClaimMoreThanTheChangeShareIt) {
  HandMadeLedger made;
  made.counts("calls/allocation", 0, 2).more_idle("allocation", 4.5);
  made.kernel("attention", slower, side(kAttention, 32, 20.5), side(kAttention, 32, 41));
  const auto causes = with_change(made, 2.9);
  ASSERT_THAT(rules_of(causes), ElementsAre("allocation_per_step", "longer_context"));
  // Time on the GPU as it was traced; idle time, which tracing lengthens, is the rest.
  EXPECT_NEAR(causes[1].explains_ms, 0.656, 1e-9);
  EXPECT_NEAR(explained(causes), 2.9, 1e-9);
}

TEST(Diagnosis, WhatIsLeftOfNothingIsNotNamed) {
  HandMadeLedger made;
  made.counts("calls/allocation", 0, 2).more_idle("allocation", 4.5);
  made.kernel("attention", slower, side(kAttention, 32, 20.5), side(kAttention, 32, 41));
  EXPECT_THAT(rules_of(with_change(made, 0.656)), ElementsAre("longer_context"));
}

TEST(Diagnosis, WithinTheNoiseOfTheStepExplainsNoMoreThanItsUpperEnd) {
  HandMadeLedger made;
  made.added("unclassified", side("spin_fault_kernel", 1, 300)).places = 1;
  made.more_in("gemm", -0.3);
  made.ledger.step.half_width = 0.1;
  EXPECT_NEAR(explained(made.diagnosed()), 0.1, 1e-9);
}

TEST(Diagnosis, NothingIsCertainWhereTheLedgerIsNotEstablished) {
  HandMadeLedger made;
  made.counts("graph_launches", 1, 0).counts("launch_calls", 1, 227);
  made.more_idle("launch_overhead", 0.3);
  made.added("unclassified", side("spin_fault_kernel", 1, 200));
  made.ledger.established = false;
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("graphs_off", "extra_kernel"));
  EXPECT_EQ(causes[0].confidence, Confidence::likely);
  EXPECT_EQ(causes[1].confidence, Confidence::possible);
}

TEST(Diagnosis, OfInvalidCapturesIsOnlyPossible) {
  HandMadeLedger made;
  made.counts("graph_launches", 1, 0).counts("launch_calls", 1, 227);
  made.more_idle("launch_overhead", 0.3);
  Analysis head;
  head.traced.resize(1);
  head.traced[0].verdict.validity = Validity::invalid;
  EXPECT_EQ(made.diagnosed(&head)[0].confidence, Confidence::possible);
  head.traced[0].verdict.validity = Validity::suspect;
  EXPECT_EQ(made.diagnosed(&head)[0].confidence, Confidence::certain);
}

TEST(Diagnosis, OtherWorkIsNamedAndNothingBesideItIsMoreThanPossible) {
  HandMadeLedger made;
  made.counts("graph_launches", 1, 0).counts("launch_calls", 1, 227);
  made.kernel("gemm", replaced, side(kGemm, 32, 33), side("other_gemm", 32, 900));
  made.more_idle("launch_overhead", 3.0);
  made.base_work = WorkDone{};
  made.base_work->tokens = 16;
  made.head_work = WorkDone{};
  made.head_work->tokens = 2048;
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), Contains("other_work"));
  for (const Diagnosis& cause : causes) {
    if (cause.rule != "other_work") {
      EXPECT_EQ(cause.confidence, Confidence::possible) << cause.rule;
    }
  }
  EXPECT_EQ(causes[0].rule, "other_work");
  EXPECT_EQ(causes[0].cause, "another amount of work: 128.00 times the tokens a step");
  EXPECT_THAT(causes[0].evidence, ElementsAre("tokens 16 -> 2048 a step"));
  EXPECT_LE(explained(causes), made.made().step.change() + 1e-9);
  made.head_work->tokens = 16;
  EXPECT_THAT(rules_of(made.diagnosed()), Not(Contains("other_work")));
}

TEST(Diagnosis, OtherWorkExplainsAsManyTimesTheStepAtMost) {
  HandMadeLedger made;
  made.more_idle("host", 2.0);
  made.base_work = made.head_work = WorkDone{};
  made.base_work->tokens = 100;
  made.head_work->tokens = 101;
  for (const Diagnosis& cause : made.diagnosed()) {
    if (cause.rule == "other_work") {
      EXPECT_NEAR(cause.explains_ms, 0.0449, 1e-9);
    }
  }
}

TEST(Diagnosis, SortsByWhatIsExplained) {
  HandMadeLedger made;
  made.added("unclassified", side("spin_fault_kernel", 1, 300));
  made.kernel("norm", less_often, side(kNorm, 64, 5.7), side(kNorm, 60, 5.7));
  made.added("norm", side(kNorm, 64, 1.5, 1));
  EXPECT_THAT(rules_of(made.diagnosed()), ElementsAre("extra_kernel", "split_launches"));
}

TEST(Diagnosis, LeavesOutWhatALostGraphContains) {
  HandMadeLedger made;
  made.counts("graph_launches", 1, 0).counts("launch_calls", 1, 227);
  made.more_in("gemm", 0.1).more_idle("launch_overhead", 0.5).more_idle("host", 0.3);
  made.gap("host", kGemm, kNorm, 0, 0.3, 200);
  EXPECT_THAT(rules_of(made.diagnosed()), ElementsAre("graphs_off"));
}

TEST(Diagnosis, TellsHostWorkFromTheLaunchesOfALostGraph) {
  HandMadeLedger made;
  made.counts("graph_launches", 1, 0).counts("launch_calls", 1, 227);
  made.more_in("gemm", 0.1).more_idle("launch_overhead", 0.2).more_idle("host", 0.42);
  made.gap("host", kArgmax, kEmbed, 0, 0.3, 1).gap("host", kGemm, kNorm, 0, 0.12, 64);
  EXPECT_THAT(rules_of(made.diagnosed()), UnorderedElementsAre("graphs_off", "host_work_per_step"));
}

TEST(Diagnosis, TellsWaitsFromTheLaunchesOfALostGraph) {
  HandMadeLedger made;
  made.counts("graph_launches", 1, 0).counts("launch_calls", 1, 227);
  made.counts("calls/synchronise", 1, 33);
  made.more_idle("synchronisation", 0.2).more_idle("launch_overhead", 0.5);
  made.gap("synchronisation", kGemm, kNorm, 0, 0.35, 32);
  made.gap("launch_overhead", kGemm, kAttention, 0, 0.35, 195);
  const auto causes = made.diagnosed();
  EXPECT_THAT(rules_of(causes), UnorderedElementsAre("graphs_off", "sync_in_step"));
  EXPECT_NEAR(explained(causes), 0.7, 1e-9);
}

TEST(Diagnosis, AllocationsContainTheWaitsInsideThem) {
  HandMadeLedger made;
  made.counts("calls/allocation", 0, 2);
  made.more_idle("allocation", 0.05).more_idle("synchronisation", 0.02).more_idle("host", 0.01);
  EXPECT_THAT(rules_of(made.diagnosed()), ElementsAre("allocation_per_step"));
}

TEST(Diagnosis, AnotherStreamOrOneSequenceMoreWithinNoiseIsNoCause) {
  HandMadeLedger made;
  made.more_in("gemm", 0.0015).more_idle("device_wait", 0.001);
  made.kernel("norm", slower, side(kNorm, 64, 5.70, 16), side(kNorm, 64, 5.71, 17));
  made.kernel("attention", slower, side(kAttention, 32, 20.50, 128),
              side(kAttention, 32, 20.54, 136));
  EXPECT_THAT(made.diagnosed(), IsEmpty());
}

TEST(Diagnosis, AKernelThatWentToAnotherFamilyIsNoCause) {
  HandMadeLedger made;
  // Paired by the ledger: listed in the new family, whose row has all of its time.
  made.kernel("unclassified", replaced, side(kArgmax, 1, 10), side("pick_token", 1, 10));
  made.more_in("unclassified", 0.010).more_in("sampling", -0.010);
  made.more_idle("device_wait", 0.005);
  EXPECT_THAT(made.diagnosed(), IsEmpty());
}

TEST(Diagnosis, WhatGotFasterIsNoCause) {
  HandMadeLedger made;
  made.counts("graph_launches", 0, 1).counts("launch_calls", 227, 1);
  made.more_in("gemm", -0.3).more_idle("launch_overhead", -0.001);
  made.kernel("norm", replaced, side(kNorm, 64, 5.7), side("better_norm", 64, 3.0));
  EXPECT_THAT(made.diagnosed(), IsEmpty());
}

/// Mean of three draws a side and the half width of Welch's interval with four degrees of freedom.
LedgerChange drawn(double level, double sd, std::mt19937_64& draw) {
  std::normal_distribution<double> normal(level, sd);
  std::array<double, 2> means{};
  double variance = 0.0;
  for (double& mean : means) {
    std::array<double, 3> values{normal(draw), normal(draw), normal(draw)};
    mean = (values[0] + values[1] + values[2]) / 3.0;
    for (const double value : values) variance += (value - mean) * (value - mean) / 6.0;
  }
  return {.base = means[0], .head = means[1], .half_width = 2.776 * std::sqrt(variance)};
}

TEST(Diagnosis, OfTwoHundredPairsWithAWholePercentMoreNamesThemNearlyAlways) {
  std::mt19937_64 draw(20261130);  // the same ledgers every time
  std::normal_distribution<double> normal;
  int named = 0;
  for (int pair = 0; pair < 200; ++pair) {
    HandMadeLedger made;
    made.idle("host").ms.base = made.idle("host").ms.head = 0.5;
    made.idle("launch_overhead").ms.base = made.idle("launch_overhead").ms.head = 0.3;
    made.ledger.step.half_width = 0.004;
    // Three processes a side that vary by a thousandth; the true width, not one drawn with them.
    for (LedgerRow& row : made.ledger.rows) {
      const double sd = row.ms.base * 0.001 / std::sqrt(3.0);
      row.ms.half_width = 2.8 * sd * std::sqrt(2.0);
      row.ms.head += sd * (normal(draw) - normal(draw));
    }
    made.more_idle("host", 0.045);
    for (const Diagnosis& cause : made.diagnosed()) named += cause.rule == "host_work_per_step";
  }
  EXPECT_GE(named, 195);
}

TEST(Diagnosis, OfUnchangedPairsWithFreeNoiseNamesACauseInOneOfAHundredAtMost) {
  std::mt19937_64 draw(44329819);  // the same ledgers every time
  int named = 0;
  for (int pair = 0; pair < 2000; ++pair) {
    HandMadeLedger made;
    const double spread = std::pow(10.0, -3.0 + 2.0 * (pair % 20) / 19.0);
    made.idle("host").ms.base = 0.5;
    made.idle("launch_overhead").ms.base = 0.3;
    for (LedgerRow& row : made.ledger.rows) {
      row.ms = drawn(row.ms.base, spread * row.ms.base, draw);
    }
    // Rebuilt: the code of half the kernels is another, and does the same.
    for (LedgerRow& row : made.ledger.rows) {
      if (row.part != LedgerPart::family) continue;
      KernelChange& kernel = row.kernels.emplace_back();
      kernel.fate = row.ms.change() > 0.0 ? slower : faster;
      kernel.family = row.name;
      kernel.base = side(row.name + "_kernel", 32, row.ms.base * 1000.0 / 32.0);
      kernel.head = side(row.name + "_kernel", 32, row.ms.head * 1000.0 / 32.0);
      kernel.code = pair % 2 == 0 ? CodeChange::same : CodeChange::differs;
    }
    Ledger ledger = made.made();
    // Other processes than the traced ones.
    ledger.step = drawn(4.49, 0.5 * spread * 4.49, draw);
    named += diagnose({.ledger = ledger, .head = nullptr}).empty() ? 0 : 1;
  }
  EXPECT_LE(named, 20);
}

TEST(Diagnosis, RulesHaveNamesAndSignaturesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const DiagnosisRule& rule : diagnosis_rules()) {
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
    EXPECT_FALSE(rule.doc.empty()) << rule.name;
    EXPECT_NE(rule.look, nullptr) << rule.name;
  }
}

TEST(DiagnosisWords, ReadTheNumberFormatOutOfNames) {
  EXPECT_EQ(named_bits("ampere_sgemm_32x32_sliced1x4_tn"), 32);
  EXPECT_EQ(named_bits("sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n"), 32);
  EXPECT_EQ(named_bits("cutlass_80_tensorop_s1688gemm_64x64"), 32);
  EXPECT_EQ(named_bits("streamed_gemm_kernel<2, float>"), 32);
  EXPECT_EQ(named_bits("cutlass_80_wmma_tensorop_f16_s161616gemm_f16_32x32"), 16);
  EXPECT_EQ(named_bits("nvjet_sm90_tst_64x8_64x16_4x2_h_bz_TNT"), 16);
  EXPECT_EQ(named_bits("nvjet_hsh_448x128_64x2_1x2_h_bz_bias_NNT"), 16);
  EXPECT_EQ(named_bits("gemm<__nv_bfloat16, float>"), 16);
  EXPECT_EQ(named_bits("deep_gemm::fp8_gemm_kernel"), 8);
  EXPECT_EQ(named_bits(kGemm), std::nullopt);
}

TEST(DiagnosisWords, ShortenNamesAndNumbers) {
  EXPECT_EQ(short_name(kAttention), "attention_decode_kernel<128, 4>");
  EXPECT_EQ(short_name("memcpy host to device"), "memcpy host to device");
  EXPECT_EQ(short_name("a::b<c::d>"), "b<c::d>");
  EXPECT_EQ(short_name(std::string(80, 'x')).size(), 60U);
  EXPECT_EQ(time_words(0.0093), "9.3 us");
  EXPECT_EQ(signed_time_words(0.117), "+0.117 ms");
  EXPECT_EQ(number_words(32.0), "32");
  EXPECT_EQ(number_words(0.5), "0.5");
  EXPECT_EQ(bytes_words(4194304.0), "4.2 MB");
}

}  // namespace
}  // namespace perfgate::analysis
