#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/analysis/hand_made.h"

namespace perfgate::analysis {
namespace {

/// A kernel [0, 100), then one at [1000, 1100) whose launch call is [800, 850): a gap of 900 ns.
HandMade one_gap() {
  HandMade made;
  made.call(-50, -20, ApiClass::kernel_launch, 1);
  made.kernel(0, 100, 1);
  made.call(800, 850, ApiClass::kernel_launch, 2);
  made.kernel(1000, 1100, 2);
  return made;
}

TEST(Gaps, AGapIsCutAtTheCallsOfTheLaunchingThread) {
  HandMade made = one_gap();
  made.call(50, 140, ApiClass::synchronise);
  made.call(200, 260, ApiClass::allocation);
  made.call(300, 420, ApiClass::copy);
  made.call(500, 530, ApiClass::module_load);
  const Analysis analysis = analyze_one(made.capture, plain_spec());
  const DeviceWindow& device = only_device(analysis);
  EXPECT_EQ(idle_of(device, IdleCause::synchronisation), 40);
  EXPECT_EQ(idle_of(device, IdleCause::allocation), 60);
  EXPECT_EQ(idle_of(device, IdleCause::transfer), 120);
  EXPECT_EQ(idle_of(device, IdleCause::jit), 30);
  EXPECT_EQ(idle_of(device, IdleCause::launch_overhead), 200);  // from the launch call to the start
  EXPECT_EQ(idle_of(device, IdleCause::host), 900 - 40 - 60 - 120 - 30 - 200);
  EXPECT_EQ(accounted_ns(device), device.window_ns);
}

TEST(Gaps, CallsOfOtherThreadsExplainNothing) {
  HandMade made = one_gap();
  made.call(100, 790, ApiClass::synchronise, 0, 2);
  EXPECT_EQ(
      idle_of(only_device(analyze_one(made.capture, plain_spec())), IdleCause::synchronisation), 0);
}

TEST(Gaps, ALaunchThatWasQueuedBeforeTheGapIsADeviceWait) {
  HandMade made;
  made.call(-90, -60, ApiClass::kernel_launch, 1);
  made.call(-50, -20, ApiClass::kernel_launch, 2);
  made.kernel(0, 100, 1);
  made.kernel(160, 200, 2);
  EXPECT_EQ(idle_of(only_device(analyze_one(made.capture, plain_spec())), IdleCause::device_wait),
            60);
}

TEST(Gaps, BetweenNodesOfOneGraphLaunchIsGraphInternalEvenWithoutApiRecords) {
  HandMade made;
  made.node(0, 100, 1, 11);
  made.node(130, 200, 1, 12);
  EXPECT_EQ(
      idle_of(only_device(analyze_one(made.capture, plain_spec())), IdleCause::graph_internal), 30);
}

TEST(Gaps, AnUnknownLaunchIsUnknown) {
  HandMade made;
  made.kernel(0, 100, 1);
  made.kernel(150, 200, 2);
  EXPECT_EQ(idle_of(only_device(analyze_one(made.capture, plain_spec())), IdleCause::unknown), 50);
}

TEST(Gaps, TheInnermostCallCounts) {
  HandMade made = one_gap();
  made.call(805, 845, ApiClass::module_load);  // a lazy load inside the launch call
  const Analysis analysis = analyze_one(made.capture, plain_spec());
  const DeviceWindow& device = only_device(analysis);
  EXPECT_EQ(idle_of(device, IdleCause::jit), 40);
  EXPECT_EQ(idle_of(device, IdleCause::launch_overhead), 160);
}

TEST(Gaps, CuptiOverheadOfTheThreadIsTracingAndLazyLoadingIsJit) {
  HandMade made = one_gap();
  made.overhead(300, 350, "CUPTI_BUFFER_FLUSH");
  made.overhead(400, 420, "LAZY_FUNCTION_LOADING");
  made.overhead(500, 600, "CUPTI_BUFFER_FLUSH", 2);  // another thread's flush holds nothing up
  made.overhead(600, 610, "COMMAND_BUFFER_FULL");
  const Analysis analysis = analyze_one(made.capture, plain_spec());
  const DeviceWindow& device = only_device(analysis);
  EXPECT_EQ(idle_of(device, IdleCause::tracing), 50);
  EXPECT_EQ(idle_of(device, IdleCause::jit), 20);
  EXPECT_EQ(idle_of(device, IdleCause::host), 700 - 70);
}

TEST(Gaps, ACopyThatIsLaunchedInTheGapIsATransfer) {
  HandMade made;
  made.call(-50, -20, ApiClass::kernel_launch, 1);
  made.kernel(0, 100, 1);
  made.call(120, 300, ApiClass::copy, 2);
  made.copy(200, 280, 2);
  const Analysis analysis = analyze_one(made.capture, plain_spec());
  EXPECT_EQ(idle_of(only_device(analysis), IdleCause::host), 20);
  EXPECT_EQ(idle_of(only_device(analysis), IdleCause::transfer), 80);
}

TEST(Gaps, AnotherProcessBeforeAQueuedKernelIsNamed) {
  HandMade first;
  first.call(-50, -20, ApiClass::kernel_launch, 1);
  first.kernel(0, 100, 1);
  HandMade second;
  second.capture.pid = 4343;
  second.call(-50, -20, ApiClass::kernel_launch, 1);
  second.kernel(150, 250, 1);
  const WorkloadSpec spec = plain_spec();
  const TimingSamples timing;
  const std::vector<TracedInput> traced{{.process = 1,
                                         .captures = {&first.capture, &second.capture},
                                         .traced_step_ms = {},
                                         .first_captured_step = 0}};
  const auto result =
      analyze({.spec = spec, .traced = traced, .timing = timing, .work = {}, .ceilings = {}});
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result.value().traced[0].devices.size(), 1U);
  EXPECT_EQ(idle_of(only_device(result.value()), IdleCause::other_process), 50);
}

TEST(Gaps, ASiteNamesBothSidesTheLargestCauseAndTheHostRange) {
  HandMade made = one_gap();
  made.range(90, 790, "schedule batch 17");
  made.call(100, 140, ApiClass::synchronise);
  const Analysis analysis = analyze_one(made.capture, plain_spec());
  const DeviceWindow& device = only_device(analysis);
  ASSERT_EQ(device.gap_sites.size(), 1U);
  EXPECT_EQ(device.gap_sites[0].cause, IdleCause::host);
  EXPECT_EQ(device.gap_sites[0].before, "ampere_sgemm_128x128_tn");
  EXPECT_EQ(device.gap_sites[0].host_range, "schedule batch *");
  EXPECT_EQ(device.gap_sites[0].total_ns, 900);
  EXPECT_EQ(device.gap_sites[0].count, 1);
}

}  // namespace
}  // namespace perfgate::analysis
