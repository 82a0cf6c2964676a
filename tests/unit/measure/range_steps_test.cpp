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
  std::vector captures{capture_of({{"decode", 0}, {"decode", 5}, {"decode", 5}})};
  for (NvtxRange& range : captures[0].ranges) range.is_push_pop = false;
  const auto results = steps_from_ranges(captures, kSteps, 0, 2, 2);
  ASSERT_FALSE(results.ok());
  EXPECT_THAT(results.error().message, HasSubstr("start at the same time"));
}

TEST(StepsFromRanges, AMatchInsideAMatchIsPartOfThatStep) {
  // decode 0 to 10, in it decode_inner 3 to 8 and again at its very start; then decode 20 to open.
  Capture capture = capture_of({{"decode_inner", 3},
                                {"decode_inner", 0},
                                {"decode", 0},
                                {"decode", 10},
                                {"decode", 20},
                                {"decode_inner", 25}});
  const std::int64_t ends[]{8, 2, 10, 20, 0, 26};
  for (std::size_t i = 0; i < 6; ++i) capture.ranges[i].end_ns = ends[i];
  EXPECT_THAT(range_starts(capture, kSteps), ::testing::ElementsAre(0, 10, 20));
}

TEST(StepsFromRanges, NestedMatchesDoNotMakeAThreadTheOneWithMostSteps) {
  Capture capture = capture_of({{"decode", 0}, {"decode", 10}, {"decode", 20}});
  Capture other = capture_of({{"decode", 1}, {"decode", 2}, {"decode", 3}, {"decode", 4}}, 2);
  other.ranges[0].end_ns = 30;
  for (NvtxRange range : other.ranges) {
    range.name = 0;
    capture.ranges.push_back(range);
  }
  EXPECT_THAT(range_starts(capture, kSteps), ::testing::ElementsAre(0, 10, 20));
}

TEST(StepsFromRanges, RangesThatAreNoStackMayOverlap) {
  Capture capture = capture_of({{"decode", 0}, {"decode", 10}, {"decode", 20}});
  for (NvtxRange& range : capture.ranges) {
    range.is_push_pop = false;
    range.end_ns = range.start_ns + 15;
  }
  EXPECT_THAT(range_starts(capture, kSteps), ::testing::ElementsAre(0, 10, 20));
}

}  // namespace
}  // namespace perfgate::measure
