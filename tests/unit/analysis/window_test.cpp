#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/analysis/hand_made.h"

namespace perfgate::analysis {
namespace {

TEST(Window, TwelveStepsGiveTenWholePeriodsFromTheSecondStepsFirstOperation) {
  HandMade made;
  made.steps(12);
  const Analysis analysis = analyze_one(made.capture, step_spec());
  const DeviceWindow& device = only_device(analysis);
  EXPECT_EQ(device.steps, 10);
  EXPECT_EQ(device.window_ns, 10'000);
  EXPECT_EQ(device.busy_ns, 5'000);
  EXPECT_EQ(device.steps_from, "nvtx");
  EXPECT_EQ(device.step_period_ns, std::vector<std::int64_t>(10, 1000));
  EXPECT_EQ(device.step_busy_ns, std::vector<std::int64_t>(10, 500));
  EXPECT_EQ(analysis.traced[0].kernel_launches, 10);
  EXPECT_EQ(analysis.traced[0].api_launches, 10);
  EXPECT_EQ(analysis.capture.validity, Validity::valid)
      << testing::PrintToString(analysis.capture.reasons);
}

TEST(Window, WorkOfTheStepBeforeIsNotCounted) {
  HandMade made;
  made.call(-300, -290, ApiClass::kernel_launch, 90);
  made.kernel(-200, -100, 90);
  made.steps(5);
  const Analysis analysis = analyze_one(made.capture, step_spec(3));
  EXPECT_EQ(only_device(analysis).operations, 3);
  EXPECT_EQ(only_device(analysis).busy_ns, 1500);
}

TEST(Window, ARangeNestedInAMatchingRangeIsNoStep) {
  HandMade made;
  made.steps(5);
  for (int i = 0; i < 5; ++i)
    made.range(std::int64_t{i} * 1000 + 5, std::int64_t{i} * 1000 + 100, "decode_layer");
  EXPECT_EQ(only_device(analyze_one(made.capture, step_spec(3))).steps, 3);
}

TEST(Window, WithoutRangesAGraphLaunchIsAStep) {
  HandMade made;
  for (int i = 0; i < 6; ++i) {
    const auto id = static_cast<std::uint32_t>(10 + i);
    const std::int64_t at = std::int64_t{i} * 1000;
    made.call(at, at + 20, ApiClass::graph_launch, id);
    made.node(at + 50, at + 150, id, 1);
    made.node(at + 160, at + 260, id, 2);
  }
  const Analysis analysis = analyze_one(made.capture, plain_spec());
  EXPECT_EQ(only_device(analysis).steps, 4);
  EXPECT_EQ(only_device(analysis).steps_from, "graph launch");
  EXPECT_EQ(only_device(analysis).busy_ns, 4 * 200);
  EXPECT_EQ(idle_of(only_device(analysis), IdleCause::graph_internal), 4 * 10);
}

TEST(Window, WithoutAnyMarksTheWholeCaptureIsTheWindowAndNothingIsPerStep) {
  HandMade made;
  made.kernel(0, 100);
  made.kernel(150, 200);
  const DeviceWindow device = only_device(analyze_one(made.capture, plain_spec()));
  EXPECT_EQ(device.steps, 0);
  EXPECT_TRUE(device.step_period_ns.empty());
  EXPECT_EQ(device.window_ns, 200);
  EXPECT_EQ(device.busy_ns, 150);
}

TEST(Window, NoMatchingRangeIsPartialAndListsTheRangesSeen) {
  HandMade made;
  made.kernel(0, 100);
  made.range(0, 50, "forward");
  const Analysis analysis = analyze_one(made.capture, step_spec());
  EXPECT_EQ(analysis.capture.validity, Validity::partial);
  EXPECT_THAT(analysis.capture.reasons,
              testing::Contains(testing::HasSubstr("ranges seen: 'forward'")));
}

TEST(Window, DevicesHaveWindowsOfTheirOwnByUuid) {
  HandMade made;
  made.capture.devices.push_back({.ordinal = 1, .uuid = "GPU-00", .name = "NVIDIA H200"});
  made.kernel(0, 100);
  made.kernel(500, 800).device = 1;
  const Analysis analysis = analyze_one(made.capture, plain_spec());
  ASSERT_EQ(analysis.traced[0].devices.size(), 2U);
  EXPECT_EQ(analysis.traced[0].devices[0].uuid, "GPU-00");
  EXPECT_EQ(analysis.traced[0].devices[0].window_ns, 300);
  EXPECT_EQ(analysis.traced[0].devices[1].window_ns, 100);
}

}  // namespace
}  // namespace perfgate::analysis
