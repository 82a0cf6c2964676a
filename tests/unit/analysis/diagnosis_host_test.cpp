// Causes of idle time and of what the host does, on hand-made ledgers: each fires on its signature
// and not on a part of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/analysis/hand_made_ledger.h"

namespace perfgate::analysis {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kToDevice = "memcpy host to device";
const std::string kToHost = "memcpy device to host";

HandMadeLedger eager() {
  HandMadeLedger made;
  made.counts("graph_launches", 0, 0).counts("launch_calls", 227, 227);
  return made;
}

/// As recorded in workloads/recordings/decode_8b/graphs_off: hardly any idle time, all kernels a
/// little slower.
HandMadeLedger without_graph() {
  HandMadeLedger made;
  made.counts("graph_launches", 1, 0).counts("launch_calls", 1, 227);
  made.more_in("gemm", 0.071).more_in("attention", 0.013).more_in("norm", 0.025);
  made.more_idle("graph_internal", -0.005).more_idle("device_wait", 0.005);
  return made;
}

TEST(Diagnosis, GraphsOffIsCertainByItsCounts) {
  const auto causes = without_graph().diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("graphs_off"));
  EXPECT_EQ(causes[0].cause, "CUDA graphs are off");
  EXPECT_EQ(causes[0].confidence, Confidence::certain);
  EXPECT_THAT(causes[0].evidence, AllOf(Contains("graph launches 1 -> 0 a step"),
                                        Contains("launch calls 1 -> 227 a step")));
  EXPECT_THAT(causes[0].explains_ms, DoubleNear(0.109, 1e-9));
  EXPECT_THAT(causes[0].lever, HasSubstr("CUDA graph"));
}

TEST(Diagnosis, GraphsOffExplainsTheIdleTimeBetweenTheLaunches) {
  HandMadeLedger made = without_graph();
  made.more_idle("launch_overhead", 0.7).more_idle("host", 0.4);
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("graphs_off"));
  EXPECT_THAT(causes[0].explains_ms, DoubleNear(1.209, 1e-9));
}

TEST(Diagnosis, GraphsOffIsLikelyWhereGraphLaunchesWereNotCounted) {
  HandMadeLedger made = without_graph();
  made.ledger.base.counts.erase("graph_launches");
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("graphs_off"));
  EXPECT_EQ(causes[0].confidence, Confidence::likely);
  Analysis head;
  head.traced.resize(1);
  head.traced[0].verdict.validity = Validity::valid;
  head.traced[0].api_launches = 2270;
  EXPECT_EQ(made.diagnosed(&head)[0].confidence, Confidence::certain);
  head.traced[0].graph_launches = 10;
  EXPECT_EQ(made.diagnosed(&head)[0].confidence, Confidence::likely);
}

TEST(Diagnosis, GraphsOffIsNoCauseWhereNothingIsSlower) {
  HandMadeLedger made;
  made.counts("graph_launches", 1, 0).counts("launch_calls", 1, 227);
  EXPECT_THAT(made.diagnosed(), IsEmpty());
  // Nor in a step that is not shown to be slower, by idle time within its noise.
  made.more_idle("launch_overhead", 0.03).idle("launch_overhead").ms.half_width = 0.05;
  made.ledger.step.half_width = 0.1;
  EXPECT_THAT(made.diagnosed(), IsEmpty());
  // Nor is a graph that was never there.
  HandMadeLedger other = eager();
  other.more_idle("launch_overhead", 0.3);
  EXPECT_THAT(rules_of(other.diagnosed()), Not(Contains("graphs_off")));
}

TEST(Diagnosis, SyncInStepCountsTheCallsAndNamesTheRangeThatRepeats) {
  HandMadeLedger made = eager();
  made.counts("calls/synchronise", 1, 33);
  made.more_idle("synchronisation", 0.2).more_idle("launch_overhead", 0.15);
  Analysis head;
  head.traced.resize(1);
  head.traced[0].steps = 10;
  head.traced[0].api_calls.push_back(
      {.api_class = ApiClass::synchronise, .name = "cudaStreamSynchronize", .calls = 330});
  DeviceWindow& device = head.traced[0].devices.emplace_back();
  device.steps = 10;
  device.ranges.resize(2);
  device.ranges[0].path = "decode";
  device.ranges[0].instances = 10;
  device.ranges[1].path = "decode/layer *";
  device.ranges[1].instances = 320;
  const auto causes = made.diagnosed(&head);
  ASSERT_THAT(rules_of(causes), ElementsAre("sync_in_step"));
  EXPECT_THAT(causes[0].explains_ms, DoubleNear(0.35, 1e-9));
  EXPECT_THAT(causes[0].evidence,
              AllOf(Contains(HasSubstr("1 -> 33 a step, most of them cudaStreamSynchronize")),
                    Contains("32 more a step, one for each decode/layer *")));
}

TEST(Diagnosis, SyncInStepNeedsBothTheCallsAndTheTime) {
  HandMadeLedger calls_alone = eager();
  calls_alone.counts("calls/synchronise", 1, 33);
  EXPECT_THAT(calls_alone.diagnosed(), IsEmpty());
  HandMadeLedger time_alone = eager();
  time_alone.more_idle("synchronisation", 0.2);
  EXPECT_THAT(time_alone.diagnosed(), IsEmpty());
}

TEST(Diagnosis, CallsOfAClassThatASideDoesNotNameWereNotMade) {
  HandMadeLedger made = eager();
  made.ledger.base.counts.erase("calls/allocation");
  made.ledger.head.counts["calls/allocation"] = 2;
  made.more_idle("allocation", 0.06);
  EXPECT_THAT(rules_of(made.diagnosed()), ElementsAre("allocation_per_step"));
  // Where no class was counted, none is known.
  made.ledger.base.counts.clear();
  EXPECT_THAT(made.diagnosed(), IsEmpty());
}

TEST(Diagnosis, H2dCopyPerStepNamesBytesAndTime) {
  HandMadeLedger made;
  made.counts("copies", 0, 1);
  KernelChange& copy = made.added("memcpy", side(kToDevice, 1, 80));
  copy.head.bytes_per_step = 4 * 1048576.0;
  made.gap("transfer", kArgmax, kToDevice, 0, 0.004).gap("transfer", kToDevice, kEmbed, 0, 0.003);
  made.gap("device_wait", kArgmax, kEmbed, 0.003, 0);
  made.more_idle("transfer", 0.007).more_idle("device_wait", -0.003);
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("h2d_copy_per_step"));
  EXPECT_THAT(causes[0].evidence[0], HasSubstr("0 -> 1 a step, 0 B -> 4.2 MB"));
  EXPECT_NEAR(causes[0].explains_ms, 0.087, 0.004);
}

TEST(Diagnosis, CopiesAsBeforeAreNoCause) {
  HandMadeLedger made;
  KernelChange& copy =
      made.kernel("memcpy", KernelFate::slower, side(kToDevice, 1, 80), side(kToDevice, 1, 81));
  copy.base.bytes_per_step = copy.head.bytes_per_step = 4e6;
  EXPECT_THAT(made.diagnosed(), IsEmpty());
}

TEST(Diagnosis, D2hWaitPerStepTakesTheCallThatWaitsForTheCopy) {
  HandMadeLedger made;
  made.counts("copies", 0, 1).counts("calls/synchronise", 1, 2);
  made.added("memcpy", side(kToHost, 1, 60)).head.bytes_per_step = 3e6;
  made.gap("synchronisation", kToHost, kEmbed, 0, 0.018);
  made.more_idle("synchronisation", 0.008).more_idle("launch_overhead", 0.010);
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("d2h_wait_per_step"));
  EXPECT_EQ(causes[0].cause, "the step waits for a copy from device to host");
  EXPECT_THAT(causes[0].explains_ms, DoubleNear(0.078, 1e-9));
}

TEST(Diagnosis, D2hWaitPerStepLeavesOtherWaitsToSyncInStep) {
  HandMadeLedger made = eager();
  made.counts("copies", 0, 1).counts("calls/synchronise", 1, 34);
  made.added("memcpy", side(kToHost, 1, 60)).head.bytes_per_step = 3e6;
  made.gap("synchronisation", kToHost, kEmbed, 0, 0.012);
  made.gap("synchronisation", kGemm, kNorm, 0, 0.3, 32);
  made.more_idle("synchronisation", 0.2).more_idle("launch_overhead", 0.112);
  EXPECT_THAT(rules_of(made.diagnosed()), ElementsAre("sync_in_step", "d2h_wait_per_step"));
}

TEST(Diagnosis, HostWorkPerStepNamesTheGapAndItsRange) {
  HandMadeLedger made;
  made.counts("calls/synchronise", 1, 2);
  made.gap("host", kArgmax, kEmbed, 0.003, 0.095, 1, "decode/schedule");
  made.more_idle("synchronisation", 0.008).more_idle("host", 0.075);
  made.more_idle("launch_overhead", 0.009).more_idle("device_wait", -0.003);
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("host_work_per_step"));
  EXPECT_EQ(causes[0].cause, "the GPU waits for work of the host in range decode/schedule");
  EXPECT_EQ(causes[0].confidence, Confidence::likely);
  EXPECT_THAT(causes[0].evidence,
              Contains("the gap between argmax_kernel and embed_norm_kernel grew from 3.0 us to "
                       "95.0 us a step, in range decode/schedule"));
  EXPECT_THAT(causes[0].explains_ms, DoubleNear(0.089, 1e-9));
}

TEST(Diagnosis, HostWorkPerStepNeedsASlowerStep) {
  HandMadeLedger made;
  made.more_idle("host", 0.02);
  made.ledger.step.half_width = 0.05;
  EXPECT_THAT(made.diagnosed(), IsEmpty());
}

TEST(Diagnosis, AllocationPerStepTakesTheIdleTimeAfterIt) {
  HandMadeLedger made;
  made.counts("calls/allocation", 0, 2);
  made.more_idle("allocation", 0.06).more_idle("synchronisation", 0.01);
  made.more_idle("launch_overhead", 0.01);
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("allocation_per_step"));
  EXPECT_THAT(causes[0].evidence[0], HasSubstr("allocation calls 0 -> 2 a step"));
  EXPECT_THAT(causes[0].explains_ms, DoubleNear(0.08, 1e-9));

  HandMadeLedger pooled;
  pooled.counts("calls/allocation", 0, 2);
  EXPECT_THAT(pooled.diagnosed(), IsEmpty()) << "calls that cost nothing";
}

TEST(Diagnosis, JitInWindowIsCertainWhereTheCallsWereCounted) {
  HandMadeLedger made;
  made.counts("calls/module_load", 0, 2).more_idle("jit", 3.0);
  const auto causes = made.diagnosed();
  ASSERT_THAT(rules_of(causes), ElementsAre("jit_in_window"));
  EXPECT_EQ(causes[0].confidence, Confidence::certain);
  HandMadeLedger as_before;
  as_before.counts("calls/module_load", 1, 1);
  EXPECT_THAT(as_before.diagnosed(), IsEmpty());
  HandMadeLedger costs_nothing;
  costs_nothing.counts("calls/module_load", 0, 2);
  EXPECT_THAT(costs_nothing.diagnosed(), IsEmpty());
  // As recorded: loads in each step, and a time that varies more than three processes can show.
  HandMadeLedger varies = made;
  varies.idle("jit").ms.half_width = 3.2;
  varies.ledger.step.half_width = 4.0;
  ASSERT_THAT(rules_of(varies.diagnosed()), ElementsAre("jit_in_window"));
  EXPECT_EQ(varies.diagnosed()[0].confidence, Confidence::likely);
}

}  // namespace
}  // namespace perfgate::analysis
