#include <algorithm>

#include <gtest/gtest.h>

#include "tests/unit/analysis/hand_made.h"

namespace perfgate::analysis {
namespace {

const RangeStat* row(const DeviceWindow& device, std::string_view path) {
  const auto found = std::ranges::find(device.ranges, path, &RangeStat::path);
  return found == device.ranges.end() ? nullptr : &*found;
}

TEST(Projection, ANestedRangeOwnsWhatItsThreadLaunchedAndTheStepOwnsAll) {
  HandMade made;
  for (int i = 0; i < 5; ++i) {
    const std::int64_t at = std::int64_t{i} * 1000;
    const auto id = static_cast<std::uint32_t>(10 * (i + 1));
    made.range(at, at + 400, "decode");
    made.range(at + 10, at + 100, "layer " + std::to_string(i));
    made.call(at + 20, at + 30, ApiClass::kernel_launch, id);
    made.kernel(at + 110, at + 210, id);  // starts after its range has ended: the launch decides
    made.call(at + 300, at + 310, ApiClass::kernel_launch, id + 1);
    made.kernel(at + 320, at + 380, id + 1);
    made.call(at + 500, at + 510, ApiClass::kernel_launch,
              id + 2);  // after the range, before the next step
    made.kernel(at + 520, at + 530, id + 2);
  }
  const Analysis analysis = analyze_one(made.capture, step_spec(3));
  const DeviceWindow& device = only_device(analysis);
  ASSERT_NE(row(device, "decode"), nullptr);
  EXPECT_EQ(row(device, "decode")->operations, 9);
  EXPECT_EQ(row(device, "decode")->instances, 3);
  EXPECT_EQ(row(device, "decode")->gpu_wall_ns, 3 * 170);
  EXPECT_FALSE(row(device, "decode")->by_time);
  ASSERT_NE(row(device, "decode/layer *"), nullptr);
  EXPECT_EQ(row(device, "decode/layer *")->operations, 3);
  EXPECT_EQ(row(device, "decode/layer *")->instances, 3);
  EXPECT_EQ(row(device, "decode/layer *")->gpu_wall_ns, 300);
}

TEST(Projection, AThreadWithoutRangesGoesToTheStepThreadsInnermostRangeByTime) {
  HandMade made;
  for (int i = 0; i < 5; ++i) {
    const std::int64_t at = std::int64_t{i} * 1000;
    const auto id = static_cast<std::uint32_t>(10 * (i + 1));
    made.range(at, at + 400, "decode");
    made.range(at + 10, at + 100, "backward");
    made.call(at + 20, at + 30, ApiClass::kernel_launch, id, 2);
    made.kernel(at + 110, at + 210, id);
  }
  const Analysis analysis = analyze_one(made.capture, step_spec(3));
  const DeviceWindow& device = only_device(analysis);
  ASSERT_NE(row(device, "decode/backward"), nullptr);
  EXPECT_TRUE(row(device, "decode/backward")->by_time);
  EXPECT_FALSE(row(device, "decode")->by_time);
  EXPECT_EQ(row(device, "decode")->operations, 3);
}

TEST(Projection, GraphNodesBelongToTheLaunchsRangeAndToTheRangesOfTheirCreation) {
  HandMade made;
  const StringId first = made.text("decode/layer 0/attn");
  const StringId second = made.text("decode/layer 1/attn");
  made.capture.graph_nodes = {
      {.node = 1,
       .original_node = 0,
       .graph = 3,
       .nvtx_path = first,
       .kind = GraphNodeKind::kernel},
      {.node = 2, .original_node = 8, .graph = 3, .nvtx_path = 0, .kind = GraphNodeKind::kernel},
      {.node = 8,
       .original_node = 0,
       .graph = 1,
       .nvtx_path = second,
       .kind = GraphNodeKind::kernel}};
  for (int i = 0; i < 5; ++i) {
    const std::int64_t at = std::int64_t{i} * 1000;
    const auto id = static_cast<std::uint32_t>(10 + i);
    made.range(at, at + 400, "decode");
    made.call(at + 20, at + 30, ApiClass::graph_launch, id);
    made.node(at + 100, at + 200, id, 1);
    made.node(at + 150, at + 300, id, 2);
  }
  const Analysis analysis = analyze_one(made.capture, step_spec(3));
  const DeviceWindow& device = only_device(analysis);
  ASSERT_NE(row(device, "decode/layer */attn"), nullptr);
  EXPECT_EQ(row(device, "decode/layer */attn")->operations, 6);
  EXPECT_EQ(row(device, "decode/layer */attn")->instances, 6);
  EXPECT_EQ(row(device, "decode/layer */attn")->gpu_wall_ns, 3 * 200);  // overlap counted once
  EXPECT_EQ(row(device, "decode")->instances, 3);
}

TEST(Projection, ARangeAroundTheWholeLoopIsTheParentOfTheStep) {
  HandMade made;
  made.steps(6);
  made.range(-100, 900'000, "main");
  const Analysis analysis = analyze_one(made.capture, step_spec(4));
  const DeviceWindow& device = only_device(analysis);
  ASSERT_NE(row(device, "main/decode#*"), nullptr);
  EXPECT_EQ(row(device, "main/decode#*")->operations, 4);
  EXPECT_EQ(row(device, "main")->operations, 4);
}

}  // namespace
}  // namespace perfgate::analysis
