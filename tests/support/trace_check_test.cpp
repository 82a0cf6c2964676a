// The check finds each kind of mistake that a viewer would answer by dropping events in silence.
#include "tests/support/trace_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perfgate::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kNames =
    R"({"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"GPU"}},)"
    R"({"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"stream 7"}},)"
    R"({"ph":"M","pid":1,"tid":3,"name":"thread_name","args":{"name":"idle"}},)"
    R"({"ph":"M","pid":1,"tid":4,"name":"thread_name","args":{"name":"window"}},)";

std::string slice(int track, const std::string& start, const std::string& duration) {
  return R"({"ph":"X","pid":1,"tid":)" + std::to_string(track) + R"(,"ts":)" + start +
         R"(,"dur":)" + duration + R"(,"name":"k","cat":"kernel"},)";
}

std::string arrow_end(const std::string& phase, int id, const std::string& at) {
  return R"({"ph":")" + phase + R"(","bp":"e","pid":1,"tid":2,"ts":)" + at + R"(,"id":)" +
         std::to_string(id) + R"(,"name":"a","cat":"a"},)";
}

TraceCheck check(std::string events) {
  events.pop_back();
  return check_trace(R"({"traceEvents":[)" + events + R"(],"otherData":{"a":"b"}})");
}

TEST(TraceCheck, TakesWhatAViewerTakes) {
  const TraceCheck good =
      check(kNames + slice(2, "0.500", "1.250") + arrow_end("s", 1, "0.500") +
            slice(2, "2", "3.000") + slice(2, "2", "1") + arrow_end("f", 1, "2.000") +
            slice(4, "0.5", "3.5") + slice(3, "1.750", "0.25"));
  EXPECT_THAT(good.problems, IsEmpty());
  ASSERT_EQ(good.tracks.size(), 3U);
  EXPECT_EQ(good.tracks[0].process, "GPU");
  EXPECT_EQ(good.tracks[0].slices_of.at("kernel"), 3);
  EXPECT_EQ(good.tracks[1].total_ns.at("k"), 250);
  EXPECT_EQ(good.arrows, 1);
  EXPECT_EQ(good.notes.at("a"), "b");
}

TEST(TraceCheck, FindsSlicesThatOverlapInPart) {
  EXPECT_THAT(check(kNames + slice(2, "1", "2") + slice(2, "2", "2")).problems,
              Contains(HasSubstr("overlaps another in part")));
}

TEST(TraceCheck, FindsAChildBeforeItsParent) {
  EXPECT_THAT(check(kNames + slice(2, "1", "1") + slice(2, "1", "2")).problems,
              Contains(HasSubstr("its child comes first")));
}

TEST(TraceCheck, FindsNegativeTimes) {
  EXPECT_THAT(check(kNames + slice(2, "-1", "1")).problems, Contains(HasSubstr("a negative ts")));
}

TEST(TraceCheck, FindsTracksWithoutAName) {
  EXPECT_THAT(check(kNames + slice(9, "1", "1")).problems, Contains(HasSubstr("has no name")));
}

TEST(TraceCheck, FindsANumberThatIsUsedTwice) {
  const std::string again =
      R"({"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"stream 9"}},)";
  EXPECT_THAT(check(kNames + again).problems, Contains(HasSubstr("has the number of a process")));
  const std::string elsewhere =
      R"({"ph":"X","pid":5,"tid":2,"ts":1,"dur":1,"name":"k","cat":"kernel"},)";
  EXPECT_THAT(check(kNames + elsewhere).problems, Contains(HasSubstr("in another process")));
}

TEST(TraceCheck, FindsArrowsWithOneEndOrNoSlice) {
  EXPECT_THAT(check(kNames + slice(2, "1", "1") + arrow_end("s", 1, "1")).problems,
              Contains(HasSubstr("not one start and one end")));
  EXPECT_THAT(check(kNames + slice(2, "1", "1") + arrow_end("s", 1, "1") + arrow_end("f", 1, "1.5"))
                  .problems,
              Contains(HasSubstr("does not end at a slice")));
}

TEST(TraceCheck, FindsIdleTimeThatOverlapsWorkOrLeavesAHole) {
  EXPECT_THAT(check(kNames + slice(2, "0", "2") + slice(3, "1", "2") + slice(4, "0", "3")).problems,
              Contains(HasSubstr("overlaps work")));
  EXPECT_THAT(check(kNames + slice(2, "0", "2") + slice(4, "0", "3")).problems,
              Contains(HasSubstr("fill 2000 ns of the window's 3000")));
}

TEST(TraceCheck, FindsWhatIsNoJsonAndNoUtf8) {
  EXPECT_THAT(check_trace("{\"traceEvents\":[").problems, Contains(HasSubstr("not JSON")));
  EXPECT_THAT(check_trace("{\"traceEvents\":[\"\xFF\"]}").problems,
              Contains(HasSubstr("not JSON")));
  EXPECT_THAT(check_trace("{}").problems, Contains(HasSubstr("no array traceEvents")));
}

}  // namespace
}  // namespace perfgate::testing
