// The built library in real processes, without a GPU.
#include <algorithm>

#include <gtest/gtest.h>
#include <signal.h>

#include "tests/unit/probe/child_process.h"

namespace perfgate::probe {
namespace {

using Environment = std::map<std::string, std::string>;

Environment injected(const std::string& folder, const std::string& window = "") {
  Environment environment{{"NVTX_INJECTION64_PATH", PERFGATE_TEST_PROBE},
                          {"PERFGATE_CAPTURE_DIR", folder}};
  if (!window.empty()) environment["PERFGATE_WINDOW"] = window;
  return environment;
}

ChildResult run_program(const std::vector<std::string>& arguments, const Environment& environment,
                        unsigned long long file_size_limit = 0) {
  return run_child(PERFGATE_TEST_NVTX_PROGRAM, arguments, environment, file_size_limit);
}

const NvtxRange* find_range(const Capture& capture, const std::string& name) {
  for (const NvtxRange& range : capture.ranges) {
    if (text_of(capture, range.name) == name) return &range;
  }
  return nullptr;
}

TEST(NvtxCapture, HoldsEveryFormOfRangeExactly) {
  const TemporaryFolder folder;
  run_program({"forms"}, injected(folder.path()));
  const Capture capture = only_capture(folder.path());
  std::vector<std::string> names = range_names(capture);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"", "", "ascii", "copied", "extended", "in domain",
                                             "left open", "registered", "started", "started wide",
                                             "thread inner", "thread outer",
                                             "wide \xC3\xA9\xE4\xB8\x96\xF0\x9F\x98\x80"}));
  EXPECT_TRUE(capture.complete);
  EXPECT_TRUE(capture.reasons.empty()) << capture.reasons[0];
  EXPECT_EQ(capture.dropped, 0U);
  EXPECT_TRUE(capture.windows.empty());
}

TEST(NvtxCapture, KeepsDomainsThreadsNestingAndKind) {
  const TemporaryFolder folder;
  run_program({"forms"}, injected(folder.path()));
  const Capture capture = only_capture(folder.path());
  const auto domain_of = [&](const char* name) {
    const NvtxRange* range = find_range(capture, name);
    return range == nullptr ? "(no range)" : text_of(capture, range->domain);
  };
  EXPECT_EQ(domain_of("ascii"), "");
  EXPECT_EQ(domain_of("in domain"), "library");
  EXPECT_EQ(domain_of("registered"), "biblioth\xC3\xA8que");
  const NvtxRange* outer = find_range(capture, "thread outer");
  const NvtxRange* inner = find_range(capture, "thread inner");
  const NvtxRange* first = find_range(capture, "ascii");
  ASSERT_TRUE(outer != nullptr && inner != nullptr && first != nullptr);
  EXPECT_EQ(outer->thread, inner->thread);
  EXPECT_NE(outer->thread, first->thread);
  EXPECT_EQ(first->thread, capture.pid);
  EXPECT_LE(outer->start_ns, inner->start_ns);
  EXPECT_LE(inner->end_ns, outer->end_ns);
  EXPECT_TRUE(outer->is_push_pop);
  EXPECT_FALSE(find_range(capture, "started")->is_push_pop);
  EXPECT_EQ(find_range(capture, "left open")->end_ns, 0);
}

TEST(NvtxCapture, LeavesOutputAndExitCodeOfTheProgramAlone) {
  const TemporaryFolder folder;
  for (const char* mode : {"forms", "fork", "quick_exit", "killed", "many"}) {
    const ChildResult plain = run_program({mode, "20"}, {});
    const ChildResult probed = run_program({mode, "20"}, injected(folder.path()));
    EXPECT_EQ(plain.output, probed.output) << mode;
    EXPECT_EQ(plain.exit_code, probed.exit_code) << mode;
    EXPECT_EQ(plain.signal, probed.signal) << mode;
  }
}

TEST(NvtxCapture, WithoutACaptureFolderTheProbeDoesNothing) {
  const ChildResult result =
      run_program({"forms"}, {{"NVTX_INJECTION64_PATH", PERFGATE_TEST_PROBE}});
  EXPECT_EQ(result.exit_code, 7);
}

TEST(NvtxCapture, AKilledProgramLeavesWhatItDidUntilThen) {
  const TemporaryFolder folder;
  const ChildResult result = run_program({"killed", "25"}, injected(folder.path()));
  EXPECT_EQ(result.signal, SIGKILL);
  const Capture capture = only_capture(folder.path());
  EXPECT_FALSE(capture.complete);
  EXPECT_FALSE(capture.dropped.has_value());
  EXPECT_EQ(capture.ranges.size(), 50U);
}

TEST(NvtxCapture, AProgramThatLeavesByUnderscoreExitKeepsItsCode) {
  const TemporaryFolder folder;
  const ChildResult result = run_program({"quick_exit", "25"}, injected(folder.path()));
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_EQ(only_capture(folder.path()).ranges.size(), 50U);
}

TEST(NvtxCapture, AForkedChildWritesNothing) {
  const TemporaryFolder folder;
  const ChildResult result = run_program({"fork"}, injected(folder.path()));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output, "child 3\n");
  const Capture capture = only_capture(folder.path());
  EXPECT_EQ(range_names(capture), (std::vector<std::string>{"parent before", "parent after"}));
  EXPECT_TRUE(capture.complete);
}

TEST(NvtxCapture, AProgramThatExecutesItselfLeavesACaptureOfEachProgram) {
  const TemporaryFolder folder;
  const ChildResult result = run_program({"exec", "25"}, injected(folder.path()));
  EXPECT_EQ(result.output, "before\ndone\n");
  EXPECT_EQ(result.exit_code, 0);
  std::vector<std::string> files = files_in(folder.path());
  ASSERT_EQ(files.size(), 2U);
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.size() < b.size(); });
  EXPECT_EQ(files[1], files[0].substr(0, files[0].size() - 6) + "-2.pgcap");
  const Capture first = capture_in(files[0]);
  const Capture second = capture_in(files[1]);
  EXPECT_EQ(first.pid, second.pid);
  EXPECT_EQ(first.process_start_ticks, second.process_start_ticks);
  EXPECT_EQ(range_names(first), (std::vector<std::string>{"launcher"}));
  EXPECT_FALSE(first.complete);
  EXPECT_EQ(second.ranges.size(), 50U);
  EXPECT_TRUE(second.complete);
}

TEST(NvtxCapture, AFileSizeLimitOrAFolderThatRefusesDoesNotTouchTheProgram) {
  const TemporaryFolder folder;
  const ChildResult limited = run_program({"many", "200000"}, injected(folder.path()), 2048);
  EXPECT_EQ(limited.output, "done\n");
  EXPECT_EQ(limited.exit_code, 0);
  const Capture capture = only_capture(folder.path());
  EXPECT_FALSE(capture.complete);
  const ChildResult refused = run_program({"many", "1000"}, injected("/proc/self/nowhere"));
  EXPECT_EQ(refused.output, "done\n");
  EXPECT_EQ(refused.exit_code, 0);
}

TEST(NvtxCapture, AFullDiskDoesNotTouchTheProgram) {
  const ChildResult full = run_program({"many", "1000"}, injected("/dev/full"));
  EXPECT_EQ(full.output, "done\n");
  EXPECT_EQ(full.exit_code, 0);
}

TEST(NvtxCapture, IsBoundedAndSaysSo) {
  const TemporaryFolder folder;
  run_program({"many", "1000010"}, injected(folder.path()));
  const Capture capture = only_capture(folder.path());
  EXPECT_EQ(capture.ranges.size(), 1'000'000U);
  EXPECT_TRUE(has_reason(capture, "more than 1000000 NVTX ranges"));
}

TEST(NvtxWindow, HoldsTheStepsOfTheWindowAndTheRangeThatClosedIt) {
  const TemporaryFolder folder;
  run_program({"steps", "30"}, injected(folder.path(), "nvtx:dec*:skip=5,count=3"));
  const Capture capture = only_capture(folder.path());
  EXPECT_TRUE(capture.complete);
  ASSERT_EQ(capture.windows.size(), 1U);
  EXPECT_EQ(text_of(capture, capture.windows[0].opened_by), "nvtx decode#6");
  const std::vector<std::string> names = range_names(capture);
  EXPECT_EQ(names, (std::vector<std::string>{"decode", "layer", "decode", "layer", "decode",
                                             "layer", "decode"}));
  const auto starts_at = [&](std::int64_t ns) {
    return std::any_of(capture.ranges.begin(), capture.ranges.end(),
                       [&](const NvtxRange& range) { return range.start_ns == ns; });
  };
  EXPECT_TRUE(starts_at(capture.windows[0].opened_ns));
  EXPECT_TRUE(starts_at(capture.windows[0].closed_ns));
  ASSERT_EQ(capture.clocks.size(), 2U);
  EXPECT_LT(capture.clocks[0].monotonic_ns, capture.clocks[1].monotonic_ns);
}

TEST(NvtxWindow, CountsAMatchInsideAnotherMatchNotAsAStep) {
  const TemporaryFolder folder;
  run_program({"nested", "12"}, injected(folder.path(), "nvtx:dec*:skip=5,count=3"));
  const Capture capture = only_capture(folder.path());
  ASSERT_EQ(capture.windows.size(), 1U);
  EXPECT_EQ(text_of(capture, capture.windows[0].opened_by), "nvtx decode#6");
  EXPECT_EQ(range_names(capture),
            (std::vector<std::string>{"decode", "decode_attention", "decode", "decode_attention",
                                      "decode", "decode_attention", "decode"}));
}

TEST(NvtxWindow, CountsTheOutermostMatchesOfEachThreadApart) {
  const TemporaryFolder folder;
  // The main thread's one match stays open while two other threads make six steps each.
  run_program({"nested_threads", "6"}, injected(folder.path(), "nvtx:dec*:skip=100,count=1"));
  EXPECT_TRUE(has_reason(only_capture(folder.path()), "13 outermost ranges matched \"dec*\""));
}

TEST(NvtxWindow, ThatNeverOpensListsTheRangesThatWereSeen) {
  const TemporaryFolder folder;
  run_program({"steps", "4"}, injected(folder.path(), "nvtx:prefill:skip=0,count=2"));
  const Capture capture = only_capture(folder.path());
  EXPECT_TRUE(capture.windows.empty());
  EXPECT_TRUE(capture.ranges.empty());
  EXPECT_TRUE(
      has_reason(capture, "the window never opened: 0 outermost ranges matched \"prefill\""));
  EXPECT_TRUE(has_reason(capture, "range seen: decode x4"));
  EXPECT_TRUE(has_reason(capture, "range seen: layer x4"));
}

TEST(NvtxWindow, ThatTheProcessEndsBeforeItsCloseIsMarkedOpen) {
  const TemporaryFolder folder;
  run_program({"steps", "4"}, injected(folder.path(), "nvtx:decode:skip=2,count=20"));
  const Capture capture = only_capture(folder.path());
  ASSERT_EQ(capture.windows.size(), 1U);
  EXPECT_EQ(capture.windows[0].closed_ns, 0);
  EXPECT_EQ(capture.ranges.size(), 4U);
  EXPECT_TRUE(has_reason(capture, "the process ended while the window was open"));
}

TEST(NvtxWindow, TakesRangesOfTheNamedDomainOnly) {
  const TemporaryFolder folder;
  Environment environment = injected(folder.path(), "nvtx:*:skip=0,count=100");
  environment["PERFGATE_NVTX_DOMAIN"] = "library";
  run_program({"forms"}, environment);
  const Capture capture = only_capture(folder.path());
  ASSERT_EQ(capture.windows.size(), 1U);
  EXPECT_EQ(text_of(capture, capture.windows[0].opened_by), "nvtx in domain#1");
}

TEST(NvtxWindow, AWindowThatCannotBeReadIsAReason) {
  const TemporaryFolder folder;
  run_program({"steps", "2"}, injected(folder.path(), "nvtx:decode"));
  EXPECT_TRUE(
      has_reason(only_capture(folder.path()), "PERFGATE_WINDOW \"nvtx:decode\" is not a window"));
}

/// Between the starts of the first and the last range of this name.
std::int64_t span_ns(const Capture& capture, const std::string& name) {
  std::int64_t first = INT64_MAX;
  std::int64_t last = 0;
  for (const NvtxRange& range : capture.ranges) {
    if (text_of(capture, range.name) != name) continue;
    first = std::min(first, range.start_ns);
    last = std::max(last, range.start_ns);
  }
  return last - first;
}

// Time is asserted from below alone: a wait is never shorter than was asked for.
TEST(NvtxDelay, MakesEachStepWaitOnceInsideItsRange) {
  const TemporaryFolder folder;
  Environment environment = injected(folder.path(), "ranges");
  environment["PERFGATE_DELAY_US"] = "2000";
  environment["PERFGATE_DELAY_RANGE"] = "dec*";
  const ChildResult delayed = run_program({"nested", "12"}, environment);
  EXPECT_EQ(delayed.output, run_program({"nested", "12"}, {}).output);
  const Capture capture = only_capture(folder.path());
  EXPECT_TRUE(capture.complete);
  EXPECT_TRUE(capture.reasons.empty()) << capture.reasons[0];
  EXPECT_GE(span_ns(capture, "decode"), 11 * 2'000'000);
  const NvtxRange* step = find_range(capture, "decode");
  const NvtxRange* inside = find_range(capture, "decode_attention");
  ASSERT_TRUE(step != nullptr && inside != nullptr);
  EXPECT_GE(inside->start_ns - step->start_ns, 2'000'000) << "before the step's own work";
}

TEST(NvtxDelay, WhatIsNotATimeIsAReasonAndDelaysNothing) {
  const TemporaryFolder folder;
  Environment environment = injected(folder.path(), "ranges");
  environment["PERFGATE_DELAY_US"] = "-1";
  environment["PERFGATE_DELAY_RANGE"] = "dec*";
  run_program({"nested", "3"}, environment);
  EXPECT_TRUE(has_reason(only_capture(folder.path()), "PERFGATE_DELAY_US \"-1\""));
}

}  // namespace
}  // namespace perfgate::probe
