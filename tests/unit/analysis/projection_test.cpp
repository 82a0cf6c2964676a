#include "runner/analysis/projection.h"

#include <algorithm>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "runner/analysis/path_tree.h"
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

/// Each step leaves `name` open, around all that follows.
HandMade left_open(int steps, const std::function<std::string(int)>& name) {
  HandMade made;
  made.steps(steps);
  for (int i = 0; i < steps; ++i) {
    made.range(i * 1000 + 900, 0, name(i));
    made.capture.ranges.back().end_ns = 0;
  }
  return made;
}

TEST(Projection, RangesThatAreLeftOpenShareAPlaceAfterSome) {
  const HandMade made = left_open(2000, [](int i) { return "request " + std::to_string(i); });
  const Analysis analysis = analyze_one(made.capture, step_spec(1998));
  const DeviceWindow& device = only_device(analysis);
  ASSERT_FALSE(device.ranges.empty());
  EXPECT_LT(device.ranges.size(), 2 * kFoldLevels + 2);
  for (const RangeStat& range : device.ranges)
    EXPECT_LE(std::ranges::count(range.path, '/'), kFoldLevels);
  // The steps behind the first have one place, as their ranges have one name.
  const auto most = std::ranges::max_element(device.ranges, {}, [](const RangeStat& range) {
    return range.path.ends_with("decode#*") ? range.operations : 0;
  });
  EXPECT_GT(most->operations, 1900);
  EXPECT_EQ(most->operations, most->instances);
  for (const WorkSite& site : device.sites) EXPECT_LE(site.place.size(), kMostPathBytes);
}

TEST(Projection, ADeepNestOfOtherNamesEndsAtTheDeepestPlace) {
  const auto letters = [](int i) {
    std::string name;
    for (; i > 0; i /= 20) name.push_back(static_cast<char>('a' + i % 20));
    return "r" + name;
  };
  const HandMade made = left_open(2000, letters);
  const Analysis analysis = analyze_one(made.capture, step_spec(1998));
  const DeviceWindow& device = only_device(analysis);
  ASSERT_FALSE(device.ranges.empty());
  for (const RangeStat& range : device.ranges) {
    EXPECT_LT(std::ranges::count(range.path, '/'), kMostLevels);
    EXPECT_LE(range.path.size(), kMostPathBytes);
  }
  EXPECT_LE(device.ranges.size(), kRangeRows);
}

TEST(Projection, ADeepPathOfCreationIsFoldedToo) {
  HandMade made;
  std::string deep = "decode";
  for (int i = 0; i < 5000; ++i) deep += "/layer " + std::to_string(i);
  made.capture.graph_nodes = {{.node = 1,
                               .original_node = 0,
                               .graph = 3,
                               .nvtx_path = made.text(deep),
                               .kind = GraphNodeKind::kernel}};
  for (int i = 0; i < 5; ++i) {
    const std::int64_t at = std::int64_t{i} * 1000;
    made.range(at, at + 400, "decode");
    made.call(at + 20, at + 30, ApiClass::graph_launch, static_cast<std::uint32_t>(10 + i));
    made.node(at + 100, at + 200, static_cast<std::uint32_t>(10 + i), 1);
  }
  const Analysis analysis = analyze_one(made.capture, step_spec(3));
  const DeviceWindow& device = only_device(analysis);
  EXPECT_EQ(device.ranges.size(), kFoldLevels);
  ASSERT_NE(row(device, "decode"), nullptr);
  EXPECT_EQ(row(device, "decode")->operations, 3);
}

TEST(Steps, AMatchInsideAMatchIsNoStepHoweverDeep) {
  HandMade made;
  made.steps(6);
  for (int i = 0; i < 6; ++i) {
    made.range(i * 1000 + 1, i * 1000 + 490, "outer");
    made.range(i * 1000 + 2, i * 1000 + 480, "decode inner");
    made.range(i * 1000 + 3, i * 1000 + 470, "decode innermost");
  }
  const Analysis analysis = analyze_one(made.capture, step_spec(4));
  EXPECT_EQ(only_device(analysis).steps, 4);
}

}  // namespace
}  // namespace perfgate::analysis
