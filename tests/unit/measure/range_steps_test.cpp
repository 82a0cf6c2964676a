// A step lasts from its range's start to the next one's start; a range's own length is no step
// time.
#include "runner/measure/range_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perfgate::measure {
namespace {

using ::testing::HasSubstr;

Capture capture_of(const std::vector<std::pair<std::string, std::int64_t>>& ranges,
                   std::uint32_t thread = 1) {
  Capture capture;
  for (const auto& [name, start_ns] : ranges) {
    capture.strings.push_back(name);
    NvtxRange range;
    range.start_ns = start_ns;
    range.end_ns = start_ns + 1;
    range.name = static_cast<StringId>(capture.strings.size() - 1);
    range.thread = thread;
    capture.ranges.push_back(range);
  }
  return capture;
}

const StepsSpec kSteps{.range = "decode*", .domain = "", .warmup = 1, .measure = 2};

TEST(StepsFromRanges, AreStartToStartPeriodsAfterTheWarmup) {
  const std::vector captures{capture_of({{"decode", 9'000'000},
                                         {"decode 0", 0},
                                         {"layer", 1},
                                         {"decode 1", 4'000'000},
                                         {"decode", 14'500'000}})};
  const auto results = steps_from_ranges(captures, kSteps, 1, 10, 2);
  ASSERT_TRUE(results.ok());
  ASSERT_EQ(results.value().steps.size(), 2U);
  EXPECT_DOUBLE_EQ(results.value().steps[0].ms, 5.0);
  EXPECT_DOUBLE_EQ(results.value().steps[1].ms, 5.5);
  EXPECT_EQ(results.value().boundary, ProcessResults::Boundary::host);
  EXPECT_EQ(results.value().block_start_ns, 4'000'000);
  EXPECT_EQ(results.value().block_end_ns, 14'500'000);
}

TEST(StepsFromRanges, TakeTheThreadAndTheProcessWithMostSteps) {
  Capture mixed = capture_of({{"decode", 0}, {"decode", 10}, {"decode", 20}, {"decode", 30}}, 1);
  mixed.ranges.push_back(mixed.ranges[0]);
  mixed.ranges.back().thread = 2;
  mixed.ranges.back().start_ns = 5;
  const std::vector captures{capture_of({{"decode", 0}, {"decode", 1}}), mixed};
  const auto results = steps_from_ranges(captures, kSteps, 1, 10, 2);
  ASSERT_TRUE(results.ok());
  EXPECT_DOUBLE_EQ(results.value().steps[0].ms, 1e-5);
}

TEST(StepsFromRanges, AMatchInsideAnotherIsNoStep) {
  Capture capture = capture_of({{"decode", 0},
                                {"decode_attention", 100},
                                {"decode", 1000},
                                {"decode_attention", 1100},
                                {"decode", 2000}});
  for (NvtxRange& range : capture.ranges) {
    const bool is_step = range.start_ns % 1000 == 0;
    range.end_ns = range.start_ns + (is_step ? 900 : 300);
  }
  EXPECT_EQ(range_starts(capture, kSteps), (std::vector<std::int64_t>{0, 1000, 2000}));
}

TEST(StepsFromRanges, OtherDomainsDoNotCount) {
  Capture capture = capture_of({{"decode", 0}, {"decode", 10}, {"decode", 20}});
  capture.strings.emplace_back("mine");
  for (NvtxRange& range : capture.ranges)
    range.domain = static_cast<StringId>(capture.strings.size() - 1);
  const std::vector captures{capture};
  EXPECT_FALSE(steps_from_ranges(captures, kSteps, 0, 2, 2).ok());
  StepsSpec steps = kSteps;
  steps.domain = "mine";
  EXPECT_TRUE(steps_from_ranges(captures, steps, 0, 2, 2).ok());
}

TEST(StepsFromRanges, NoMatchNamesTheRangesThatWereSeen) {
  Capture capture = capture_of({{"prefill", 0}, {"forward", 1}, {"forward", 2}});
  capture.reasons = {"range seen: optimizer x3", "no CUPTI"};
  const std::vector captures{capture};
  const auto results = steps_from_ranges(captures, kSteps, 0, 2, 2);
  ASSERT_FALSE(results.ok());
  EXPECT_EQ(
      results.error().message,
      "no NVTX range matched 'decode*'; ranges seen: forward (x2), prefill (x1), optimizer x3");
  EXPECT_EQ(ranges_seen({}), "none");
}

TEST(StepsFromRanges, TooFewSayHowManyAreNeeded) {
  const std::vector captures{capture_of({{"decode", 0}, {"decode", 1}})};
  const auto results = steps_from_ranges(captures, kSteps, 1, 2, 2);
  ASSERT_FALSE(results.ok());
  EXPECT_THAT(results.error().message,
              HasSubstr("2 NVTX ranges matched 'decode*', but 4 are needed"));
}

TEST(StepsFromRanges, TwoStartsAtOnceAreRefused) {
  const std::vector captures{capture_of({{"decode", 0}, {"decode", 5}, {"decode", 5}})};
  EXPECT_FALSE(steps_from_ranges(captures, kSteps, 0, 2, 2).ok());
}

}  // namespace
}  // namespace perfgate::measure
