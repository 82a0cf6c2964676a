// Causes within kernels and copies, on hand-made ledgers: each fires on its signature and not on a
// part of it. Signatures of the built-in decode step are those of its planted faults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/analysis/hand_made_ledger.h"

namespace perfgate::analysis {
namespace {

using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using enum KernelFate;

const std::string kNvjet = "nvjet_sm90_tst_64x16_64x8_1x1_v_bz_TNT";

TEST(Diagnosis, GemmAlgorithmNamesBothKernelsAndThePlace) {
  HandMadeLedger made;
  made.kernel("gemm", replaced, side(kGemm, 32, 33), side(kNvjet, 32, 40), "decode/layer 1/o_proj");
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("gemm_algorithm"));
  EXPECT_EQ(causes[0].evidence[0],
            "32 calls a step of streamed_gemm_kernel<2>, 33.0 us each -> 32 calls a step of " +
                kNvjet + ", 40.0 us each at decode/layer */o_proj");
  EXPECT_THAT(causes[0].explains_ms, DoubleNear(0.224, 1e-9));
}

TEST(Diagnosis, GemmAlgorithmIsSeenInAFewLayersWithoutPlaces) {
  HandMadeLedger made;
  made.kernel("gemm", less_often, side(kGemm, 64, 33), side(kGemm, 62, 33));
  made.added("gemm", side(kNvjet, 2, 80));
  made.added("activation", side("gated_silu_kernel", 2, 4));
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("gemm_algorithm"));
  EXPECT_THAT(causes[0].evidence, Contains(HasSubstr("2 launches a step of gated_silu_kernel")));
  EXPECT_THAT(causes[0].explains_ms, DoubleNear(0.102, 1e-9));
}

TEST(Diagnosis, GemmsByOtherKernelsInTheSameTimeAreNoCause) {
  HandMadeLedger made;
  made.kernel("gemm", replaced, side(kGemm, 32, 33), side(kNvjet, 32, 33.05));
  EXPECT_THAT(made.diagnosed(), IsEmpty());
}

TEST(Diagnosis, WiderWeightsNeedsNamesThatTellTheType) {
  HandMadeLedger made;
  const std::string base = "cutlass_80_tensorop_bf16_s16816gemm_bf16_64x64";
  const std::string head = "cutlass_80_tensorop_s1688gemm_64x64_tn";
  made.kernel("gemm", replaced, side(base, 32, 33), side(head, 32, 62));
  made.added("unclassified", side("widen_copy_kernel", 32, 2));
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("wider_weights"));
  EXPECT_EQ(causes[0].cause, "the weights of matrix products are read in a wider type (32 bits)");
  EXPECT_EQ(causes[0].confidence, Confidence::likely);
  EXPECT_THAT(causes[0].evidence, Contains(HasSubstr("widen_copy_kernel")));

  HandMadeLedger unnamed;
  unnamed.kernel("gemm", replaced, side(kGemm, 32, 33), side("my_gemm<7>", 32, 66));
  EXPECT_THAT(rules_of(unnamed.diagnosed()), ElementsAre("gemm_algorithm"));
}

TEST(Diagnosis, WiderWeightsCountsWhatLostItsCallsToAPairOfOtherKernels) {
  HandMadeLedger made;
  made.kernel("gemm", replaced, side("streamed_gemm_kernel<3>", 32, 55),
              side("ampere_sgemm_32x32_sliced1x4_tn", 64, 90));
  made.kernel("gemm", less_often, side(kGemm, 64, 33), side(kGemm, 32, 33));
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("wider_weights"));
  EXPECT_THAT(causes[0].explains_ms, DoubleNear(64 * 0.090 - 32 * 0.055 - 32 * 0.033, 1e-9));
}

TEST(Diagnosis, WiderWeightsIsNotNamedForAFloatAnywhereInTheName) {
  HandMadeLedger made;
  made.kernel("gemm", replaced, side(kGemm, 32, 33), side("my_gemm<7, float>", 32, 66));
  EXPECT_THAT(rules_of(made.diagnosed()), ElementsAre("gemm_algorithm"));
}

TEST(Diagnosis, GemmAlgorithmTakesWhatRanBesideTheKernelsThatAreGone) {
  HandMadeLedger made;
  made.kernel("gemm", replaced, side(kGemm, 128, 25), side(kNvjet, 128, 32));
  made.kernel("norm", faster, side(kNorm, 64, 5.7), side(kNorm, 64, 1.9)).code = CodeChange::same;
  made.kernel("attention", slower, side(kAttention, 32, 20.5), side(kAttention, 32, 37));
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("gemm_algorithm", "longer_context"));
  EXPECT_THAT(causes[0].explains_ms, DoubleNear(0.896 - 0.2432, 1e-9));
  EXPECT_THAT(causes[1].explains_ms, DoubleNear(0.528, 1e-9));
  EXPECT_THAT(causes[0].evidence, Contains(HasSubstr("beside them take 0.243 ms less")));
}

TEST(Diagnosis, GemmAlgorithmTakesTheMemsetsOfSplitProducts) {
  HandMadeLedger made;
  made.kernel("gemm", replaced, side(kGemm, 32, 33), side(kNvjet, 32, 40));
  made.added("memset", side("memset", 32, 1.4));
  EXPECT_THAT(rules_of(made.diagnosed()), ElementsAre("gemm_algorithm"));
}

TEST(Diagnosis, WiderWeightsIsPossibleWhereOnlyTheHeadNamesItsType) {
  HandMadeLedger made;
  made.kernel("gemm", less_often, side(kGemm, 64, 33), side(kGemm, 62, 33));
  made.added("gemm", side("ampere_sgemm_32x32_sliced1x4_tn", 2, 80));
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("wider_weights"));
  EXPECT_EQ(causes[0].confidence, Confidence::possible);
}

TEST(Diagnosis, UnfusedElementwiseCountsTheKernelsOfBothSides) {
  HandMadeLedger made;
  made.counts("kernel_launches", 227, 267);
  made.kernel("norm", less_often, side(kNorm, 64, 5.7), side(kNorm, 44, 5.7));
  made.added("elementwise_copy", side("residual_add_kernel", 20, 3));
  made.added("norm", side("rms_norm_kernel", 20, 5));
  made.added("activation", side("silu_kernel", 10, 3));
  made.added("elementwise_copy", side("gate_scale_kernel", 10, 3));
  made.added("elementwise_copy", side("spin_fault_kernel", 1, 23));
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("unfused_elementwise", "extra_kernel"));
  EXPECT_THAT(causes[0].evidence[0], HasSubstr("do the work of add_norm_kernel"));
  EXPECT_THAT(causes[0].evidence, Contains("kernels 227 -> 267 a step"));
  EXPECT_THAT(causes[0].explains_ms, DoubleNear(0.106, 1e-9));
  EXPECT_THAT(causes[1].cause, HasSubstr("spin_fault_kernel"));
}

TEST(Diagnosis, KernelsRenamedInTheSameTimeAreNoCause) {
  HandMadeLedger made;
  made.kernel("norm", replaced, side(kNorm, 64, 5.7), side("fused_add_rms_norm", 64, 5.7));
  // Renamed into another family: gone from one, added to the other.
  made.gone("sampling", side(kArgmax, 1, 10), "decode/argmax");
  made.added("unclassified", side("pick_token", 1, 10), "decode/argmax");
  EXPECT_THAT(made.diagnosed(), IsEmpty());
}

TEST(Diagnosis, KernelsOfTwoFamiliesWithoutAPlaceAreNotOneRenamed) {
  HandMadeLedger made;
  made.gone("norm", side(kNorm, 32, 5.7));
  made.added("unclassified", side("spin_fault_kernel", 32, 6));
  EXPECT_THAT(rules_of(made.diagnosed()), Contains("extra_kernel"));
}

TEST(Diagnosis, AnUnknownKernelIsUnfusedWorkOnlyBesideOneThatIs) {
  HandMadeLedger made;
  made.kernel("norm", less_often, side(kNorm, 64, 5.7), side(kNorm, 32, 5.7), "decode/norm");
  made.added("norm", side("rms_norm_kernel", 32, 6), "decode/norm");
  made.added("unclassified", side("residual_add_kernel", 32, 3), "decode/norm");
  made.added("unclassified", side("spin_fault_kernel", 32, 20), "decode/argmax");
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("extra_kernel", "unfused_elementwise"));
  EXPECT_THAT(causes[0].cause, HasSubstr("spin_fault_kernel"));
}

TEST(Diagnosis, LongerContextIsTheSameAttentionKTimesAsLong) {
  HandMadeLedger made;
  made.kernel("attention", slower, side(kAttention, 32, 20.5), side(kAttention, 32, 41));
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("longer_context"));
  // A time alone is not more work.
  EXPECT_THAT(causes[0].cause, HasSubstr("attention takes 2.00 times as long"));
  EXPECT_EQ(causes[0].confidence, Confidence::possible);
}

TEST(Diagnosis, LongerContextIsLikelyWithMoreBlocksOrMoreBytesOfTheCache) {
  HandMadeLedger blocks;
  blocks.kernel("attention", slower, side(kAttention, 32, 20.5, 128),
                side(kAttention, 32, 41, 256));
  EXPECT_THAT(blocks.diagnosed()[0].cause, HasSubstr("attention does more work"));
  EXPECT_EQ(blocks.diagnosed()[0].confidence, Confidence::likely);
  HandMadeLedger bytes;
  bytes.kernel("attention", slower, side(kAttention, 32, 20.5), side(kAttention, 32, 41));
  bytes.base_work = bytes.head_work = WorkDone{};
  bytes.base_work->kv_bytes = 2e9;
  bytes.head_work->kv_bytes = 4e9;
  const auto causes = bytes.diagnosed();
  EXPECT_EQ(causes[0].confidence, Confidence::likely);
  EXPECT_THAT(causes[0].evidence, Contains(HasSubstr("2.0 GB -> 4.0 GB")));
}

TEST(Diagnosis, LongerContextIsNotNamedWhereAllKernelsAreSlower) {
  HandMadeLedger made;
  made.kernel("attention", slower, side(kAttention, 32, 20.5), side(kAttention, 32, 22.5));
  made.more_in("gemm", 0.35).more_in("norm", 0.036);
  EXPECT_THAT(rules_of(made.diagnosed()), ElementsAre("slower_same_code"));
}

TEST(Diagnosis, AttentionWithoutSplitRunsInFewerThreads) {
  HandMadeLedger made;
  made.kernel("attention", less_often, side(kAttention, 32, 20.5), side(kAttention, 31, 20.5));
  made.added("attention", side(kAttention, 1, 90, 128, 32));
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("attention_without_split"));
  EXPECT_THAT(causes[0].evidence[0], HasSubstr("run in 4096 threads instead of 32768"));
  EXPECT_THAT(causes[0].explains_ms, DoubleNear(0.0695, 1e-9));
}

TEST(Diagnosis, AttentionWithoutSplitCountsTheCombiningKernelThatIsGone) {
  HandMadeLedger made;
  made.kernel("attention", slower, side(kAttention, 32, 20.5, 512), side(kAttention, 32, 30, 128));
  made.gone("attention", side("attention_combine_kernel<128>", 32, 2));
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("attention_without_split"));
  EXPECT_THAT(causes[0].explains_ms, DoubleNear(0.24, 1e-9));
  // Fewer sequences: fewer blocks, and faster.
  HandMadeLedger smaller;
  smaller.kernel("attention", faster, side(kAttention, 32, 20.5, 128),
                 side(kAttention, 32, 11, 64));
  EXPECT_THAT(smaller.diagnosed(), IsEmpty());
}

TEST(Diagnosis, ALargerBatchNeedsNoSplit) {
  HandMadeLedger made;
  made.kernel("attention", slower, side(kAttention, 32, 5.3), side(kAttention, 32, 20.4));
  made.gone("attention", side("attention_combine_kernel<128>", 32, 4));
  made.kernel("norm", slower, side(kNorm, 64, 5.5, 1), side(kNorm, 64, 5.51, 16));
  EXPECT_THAT(rules_of(made.diagnosed()), ElementsAre("longer_context"));
}

TEST(Diagnosis, SplitLaunchesIsOneNameInMoreAndShorterLaunches) {
  HandMadeLedger made;
  made.kernel("norm", less_often, side(kNorm, 64, 5.7, 16), side(kNorm, 60, 5.7, 16))
      .launch_differs = false;
  made.added("norm", side(kNorm, 64, 1.5, 1));
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("split_launches"));
  EXPECT_EQ(causes[0].cause, "add_norm_kernel is split into 16.00 times as many launches");
}

TEST(Diagnosis, MoreLaunchesOfTheSameLengthAreExtraOnes) {
  HandMadeLedger made;
  made.kernel("norm", more_often, side(kNorm, 64, 5.7), side(kNorm, 128, 5.7));
  EXPECT_THAT(rules_of(made.diagnosed()), ElementsAre("extra_kernel"));
}

TEST(Diagnosis, TransposeCopiesAreNewDataMovement) {
  HandMadeLedger made;
  made.added("elementwise_copy", side("transpose_copy_kernel", 32, 20), "decode/layer */o_proj");
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("transpose_copies"));
  EXPECT_EQ(causes[0].evidence[0],
            "transpose_copy_kernel: 32 more a step at decode/layer */o_proj, 20.0 us each");
  HandMadeLedger copies;
  copies.added("memcpy", side("memcpy device to device", 32, 3));
  EXPECT_THAT(rules_of(copies.diagnosed()), ElementsAre("transpose_copies"));
}

TEST(Diagnosis, ExtraKernelNeedsATimeBeyondTheNoiseOfItsFamily) {
  HandMadeLedger made;
  made.added("unclassified", side("spin_fault_kernel", 1, 21));
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("extra_kernel"));
  EXPECT_EQ(causes[0].cause, "1 new launch a step of spin_fault_kernel");
  HandMadeLedger noisy = made;
  noisy.family("unclassified").ms.half_width = 0.03;
  EXPECT_THAT(noisy.diagnosed(), IsEmpty());
  noisy.family("unclassified").ms.half_width.reset();
  EXPECT_THAT(noisy.diagnosed(), IsEmpty()) << "too few processes to say";
}

TEST(Diagnosis, TwoNewKernelsShareTheGapBetweenThem) {
  HandMadeLedger made;
  made.added("unclassified", side("a_kernel", 1, 50));
  made.added("unclassified", side("b_kernel", 1, 50));
  made.more_idle("host", 0.3);
  made.gap("host", "a_kernel", "b_kernel", 0, 0.2);
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("extra_kernel", "host_work_per_step", "extra_kernel"));
  EXPECT_THAT(causes[0].explains_ms, DoubleNear(0.25, 1e-9));
  // Neither the gap nor what is idle elsewhere.
  EXPECT_THAT(causes[2].explains_ms, DoubleNear(0.05, 1e-9));
}

TEST(Diagnosis, TwoSplitKernelsShareTheGapBetweenThem) {
  HandMadeLedger made;
  made.kernel("norm", more_often, side("a_norm", 4, 50), side("a_norm", 16, 15));
  made.kernel("norm", more_often, side("b_norm", 4, 50), side("b_norm", 16, 15));
  made.more_idle("launch_overhead", 0.3);
  made.gap("launch_overhead", "a_norm", "b_norm", 0, 0.3, 16);
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("split_launches", "split_launches"));
  EXPECT_THAT(causes[0].explains_ms, DoubleNear(0.34, 1e-9));
  EXPECT_THAT(causes[1].explains_ms, DoubleNear(0.04, 1e-9));
}

TEST(Diagnosis, OneMoreLaunchInTheCountsDoesNotExplainAWholeFamily) {
  HandMadeLedger made;
  made.counts("kernel_launches", 227, 228).more_in("norm", 0.3).more_in("gemm", 1.5);
  made.ledger.work = WorkIdentity::unknown;
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("extra_kernel"));
  EXPECT_LE(causes[0].explains_ms, 2.0 * 4.49 / 227 + 1e-9);
}

TEST(Diagnosis, ExtraKernelIsOnlyPossibleWhereThereAreNoKernelsToName) {
  HandMadeLedger made;
  made.counts("kernel_launches", 227, 228).more_in("norm", 0.03);
  made.ledger.work = WorkIdentity::unknown;
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("extra_kernel"));
  EXPECT_EQ(causes[0].confidence, Confidence::possible);
}

TEST(Diagnosis, KernelChangedTellsNewCodeFromTheSame) {
  HandMadeLedger made;
  made.kernel("norm", slower, side(kNorm, 64, 5.7), side(kNorm, 64, 7.0)).code =
      CodeChange::differs;
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("kernel_changed"));
  EXPECT_EQ(causes[0].cause, "the code of add_norm_kernel changed, and is slower");
  HandMadeLedger as_fast;
  as_fast.kernel("norm", slower, side(kNorm, 64, 5.7), side(kNorm, 64, 5.72)).code =
      CodeChange::differs;
  EXPECT_THAT(as_fast.diagnosed(), IsEmpty());
}

TEST(Diagnosis, SlowerSameCodeNamesLowerClocksWhereTheyAreKnown) {
  HandMadeLedger made;
  made.more_in("gemm", 0.17).more_in("attention", 0.03);
  EXPECT_THAT(made.diagnosed()[0].cause, HasSubstr("input values, memory placement"));
  made.ledger.base.sm_clock_mhz = 1980;
  made.ledger.head.sm_clock_mhz = 1755;
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("slower_same_code"));
  EXPECT_EQ(causes[0].cause, "the GPU ran at lower clocks");
  EXPECT_EQ(causes[0].evidence[0], "SM clock 1980 -> 1755 MHz");
}

TEST(Diagnosis, ClocksThatFellByAPercentDoNotExplainAThird) {
  HandMadeLedger made;
  made.more_in("gemm", 1.0).more_in("attention", 0.2).more_in("norm", 0.1);
  made.ledger.base.sm_clock_mhz = 1980;
  made.ledger.head.sm_clock_mhz = 1950;
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("slower_same_code"));
  EXPECT_THAT(causes[0].cause, HasSubstr("or the machine"));
  EXPECT_THAT(causes[0].evidence, Contains("SM clock 1980 -> 1950 MHz"));
}

TEST(Diagnosis, OneSlowerFamilyIsNotTheMachine) {
  HandMadeLedger made;
  made.more_in("attention", 0.02);
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("slower_same_code"));
  EXPECT_EQ(causes[0].cause,
            "the same attention kernels and launches are slower, the others are not: input values "
            "or memory placement");
}

TEST(Diagnosis, ASmallRestBesideAnotherCauseIsNotTheMachine) {
  HandMadeLedger made;
  made.counts("calls/allocation", 0, 2).more_idle("allocation", 2.0);
  made.more_in("gemm", 0.07).more_in("norm", 0.01);
  EXPECT_THAT(rules_of(made.diagnosed()), ElementsAre("allocation_per_step"));
}

TEST(Diagnosis, ClocksOfAnIdleGpuAreNoEvidence) {
  HandMadeLedger made;
  made.more_in("gemm", 0.17).more_in("attention", 0.03);
  made.ledger.base.sm_clock_mhz = 1980;
  made.ledger.head.sm_clock_mhz = 345;
  EXPECT_THAT(made.diagnosed()[0].cause, HasSubstr("input values, memory placement"));
}

TEST(Diagnosis, CommunicationExposedIsNamedByItsFamily) {
  HandMadeLedger made;
  made.family("comm").ms = {.base = 0.4, .head = 0.9, .half_width = 0.02};
  made.ledger.work = WorkIdentity::same_launches;
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("communication_exposed"));
  EXPECT_THAT(causes[0].evidence[0], HasSubstr("exposed communication 0.400 ms -> 0.900 ms"));
  made.family("comm").ms.half_width = 0.6;
  EXPECT_THAT(rules_of(made.diagnosed()), Not(Contains("communication_exposed")));
}

}  // namespace
}  // namespace perfgate::analysis
