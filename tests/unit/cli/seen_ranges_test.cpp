#include "runner/cli/run/seen_ranges.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace perfgate::cli {
namespace {

struct MadeRange {
  std::string name;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t thread = 1;
};

Capture capture_of(const std::vector<MadeRange>& made) {
  Capture capture;
  for (const MadeRange& one : made) {
    auto found = std::ranges::find(capture.strings, one.name);
    if (found == capture.strings.end()) {
      capture.strings.push_back(one.name);
      found = std::prev(capture.strings.end());
    }
    NvtxRange range;
    range.start_ns = one.start_ns;
    range.end_ns = one.end_ns;
    range.name = static_cast<StringId>(found - capture.strings.begin());
    range.thread = one.thread;
    capture.ranges.push_back(range);
  }
  return capture;
}

workloads::SeenRange range_named(const std::vector<workloads::SeenRange>& seen,
                                 const std::string& name) {
  const auto found = std::ranges::find(seen, name, &workloads::SeenRange::name);
  EXPECT_NE(found, seen.end()) << name;
  return found == seen.end() ? workloads::SeenRange{} : *found;
}

TEST(SeenRanges, CountsPeriodsWithinAThreadAndThreadsOverAll) {
  const std::vector<Capture> captures{capture_of(
      {{"step", 0, 50, 1}, {"step", 100, 150, 1}, {"step", 200, 250, 1}, {"step", 7, 8, 2}})};
  const auto step = range_named(seen_ranges(captures), "step");
  EXPECT_EQ(step.count, 4);
  EXPECT_EQ(step.threads, 2);
  EXPECT_EQ(step.median_period_ns, 100);
  EXPECT_EQ(step.period_spread_ratio, 0.0);
  EXPECT_TRUE(step.is_outermost);
}

TEST(SeenRanges, ARangeInsideAnotherIsNotOutermost) {
  const std::vector<Capture> captures{capture_of({{"layer", 10, 20}, {"step", 0, 50}})};
  const auto seen = seen_ranges(captures);
  EXPECT_FALSE(range_named(seen, "layer").is_outermost);
  EXPECT_TRUE(range_named(seen, "step").is_outermost);
}

TEST(SeenRanges, OfTwoThatStartTogetherTheLongerOneIsOutside) {
  const std::vector<Capture> captures{capture_of({{"layer", 0, 20}, {"step", 0, 50}})};
  const auto seen = seen_ranges(captures);
  EXPECT_TRUE(range_named(seen, "step").is_outermost);
  EXPECT_FALSE(range_named(seen, "layer").is_outermost);
}

TEST(SeenRanges, ProcessesAreSeparateEvenWithTheSameThreadNumber) {
  const Capture one = capture_of({{"step", 0, 50, 1}});
  const std::vector<Capture> captures{one, one};
  const auto step = range_named(seen_ranges(captures), "step");
  EXPECT_EQ(step.count, 2);
  EXPECT_EQ(step.threads, 2);
  EXPECT_EQ(step.median_period_ns, 0) << "no period spans two processes";
}

TEST(SeenRanges, NothingSeenIsNothing) { EXPECT_TRUE(seen_ranges({}).empty()); }

}  // namespace
}  // namespace perfgate::cli
