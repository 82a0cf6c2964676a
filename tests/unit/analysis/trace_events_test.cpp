// A timeline shows each record once, on tracks that viewers take, and its idle track is the
// analysis' idle time.
#include "runner/analysis/trace_events.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/analysis/timeline.h"
#include "runner/analysis/trace_lanes.h"
#include "tests/unit/analysis/hand_made.h"

namespace perfgate::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Slice {
  std::string track;  ///< "PROCESS / TRACK"
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::string name;
  std::string category;
  std::map<std::string, std::string> arguments;
};

struct AsText {
  std::string operator()(std::uint64_t value) const { return std::to_string(value); }
  std::string operator()(std::string_view value) const { return std::string(value); }
  std::string operator()(const std::array<std::uint32_t, 3>& value) const {
    return std::to_string(value[0]) + " " + std::to_string(value[1]) + " " +
           std::to_string(value[2]);
  }
};

class Seen final : public TraceSink {
 public:
  Status put(const TraceEvent& event) override {
    if (--left == 0)
      return Error{.code = ErrorCode::io, .message = "full", .hint = {}, .context = {}};
    switch (event.phase) {
      case TracePhase::process: processes[event.process] = std::string(event.name); break;
      case TracePhase::track:
        EXPECT_TRUE(
            tracks
                .emplace(event.track, processes.at(event.process) + " / " + std::string(event.name))
                .second);
        break;
      case TracePhase::slice: add(event); break;
      case TracePhase::flow_start: arrows[event.id].first = place(event); break;
      case TracePhase::flow_end: arrows[event.id].second = place(event); break;
    }
    return {};
  }

  [[nodiscard]] std::vector<Slice> on(const std::string& track) const {
    std::vector<Slice> found;
    std::ranges::copy_if(slices, std::back_inserter(found),
                         [&](const Slice& slice) { return slice.track == track; });
    return found;
  }
  [[nodiscard]] std::set<std::string> track_names() const {
    std::set<std::string> names;
    for (const auto& [number, name] : tracks) names.insert(name);
    return names;
  }

  std::map<std::uint32_t, std::string> processes;
  std::map<std::uint32_t, std::string> tracks;
  std::vector<Slice> slices;
  std::map<std::uint64_t, std::pair<std::string, std::string>> arrows;  ///< "TRACK at NS"
  std::int64_t left = -1;

 private:
  std::string place(const TraceEvent& event) {
    return tracks.at(event.track) + " at " + std::to_string(event.at_ns);
  }
  void add(const TraceEvent& event) {
    Slice slice{.track = tracks.at(event.track),
                .start_ns = event.at_ns,
                .end_ns = event.at_ns + event.duration_ns,
                .name = std::string(event.name),
                .category = std::string(event.category),
                .arguments = {}};
    for (const TraceArgument& argument : event.arguments)
      slice.arguments[std::string(argument.key)] = std::visit(AsText{}, argument.value);
    slices.push_back(std::move(slice));
  }
};

constexpr std::int64_t kMillisecond = 1'000'000;
const std::string kGpu = "NVIDIA H200 (GPU-aa) / ";
const std::string kHost = "process 4242 / ";

Classifier classifier() { return std::move(Classifier::create({})).value(); }

TraceTotals show(const Capture& capture, Seen& seen, const StepsSpec& steps = step_spec().steps) {
  const Classifier rules = classifier();
  const std::vector<const Capture*> captures{&capture};
  const std::vector<TraceRun> runs{
      {.label = {}, .captures = captures, .steps = steps, .classifier = rules}};
  const auto totals = emit_trace(runs, seen);
  EXPECT_TRUE(totals.ok()) << (totals.ok() ? "" : totals.error().message);
  return totals.ok() ? totals.value() : TraceTotals{};
}

TEST(TraceEvents, ShowTheWindowIdleTimeStreamsRangesAndCalls) {
  HandMade made;
  made.steps(5);
  Seen seen;
  const TraceTotals totals = show(made.capture, seen);
  EXPECT_THAT(seen.track_names(), ElementsAre(kGpu + "idle", kGpu + "stream 7", kGpu + "window",
                                              kHost + "thread 1 calls", kHost + "thread 1 ranges"));
  EXPECT_EQ(seen.on(kGpu + "stream 7").size(), 4U);
  EXPECT_EQ(seen.on(kHost + "thread 1 calls").size(), 5U);
  EXPECT_EQ(seen.on(kHost + "thread 1 ranges").size(), 5U);
  const auto window = seen.on(kGpu + "window");
  ASSERT_EQ(window.size(), 4U);
  EXPECT_EQ(window[0].name, "window");
  EXPECT_EQ(window[1].name, "step 1");
  EXPECT_EQ(window[3].end_ns, window[0].end_ns);
  EXPECT_EQ(totals.slices, static_cast<std::int64_t>(seen.slices.size()));
  EXPECT_EQ(totals.left_out, 0);
}

TEST(TraceEvents, EndWithTheWindowWhereThereAreSteps) {
  HandMade made;
  made.steps(5);
  made.capture.kernels.back().end_ns += 1'000'000;  // what CUPTI says of a graph that was cut
  made.call(9'000, 9'100, ApiClass::synchronise);
  made.range(9'000, 9'100, "after");
  Seen seen;
  const TraceTotals totals = show(made.capture, seen);
  EXPECT_EQ(totals.after_window, 1);
  const std::int64_t end = seen.on(kGpu + "window").front().end_ns;
  for (const Slice& slice : seen.slices) EXPECT_LE(slice.end_ns, end) << slice.name;
  EXPECT_EQ(seen.on(kHost + "thread 1 calls").size(), 5U);
  Seen whole;
  EXPECT_EQ(show(made.capture, whole, StepsSpec{}).after_window, 0);
  EXPECT_EQ(whole.on(kGpu + "stream 7").size(), 5U);
  EXPECT_EQ(whole.on(kHost + "thread 1 calls").size(), 6U);
}

TEST(TraceEvents, StartTheWindowAtAWholeMillisecondAndNothingBeforeZero) {
  HandMade made;
  made.steps(5, 700'000, 500'000);
  Seen seen;
  const TraceTotals totals = show(made.capture, seen);
  EXPECT_EQ(totals.window_at_ns, kMillisecond);  // a step before the window: 0.7 ms
  EXPECT_EQ(seen.on(kGpu + "window").front().start_ns, kMillisecond);
  for (const Slice& slice : seen.slices) EXPECT_GE(slice.start_ns, 0) << slice.name;
}

TEST(TraceEvents, GiveKernelsTheirLaunchAndFamily) {
  HandMade made;
  KernelRecord& kernel = made.node(100, 200, 5, 77, "nvjet_tst_64x8_TNT");
  kernel.grid = {4, 5, 6};
  kernel.block = {128, 1, 1};
  kernel.registers_per_thread = 96;
  kernel.static_shared_bytes = 1000;
  kernel.dynamic_shared_bytes = 24;
  made.copy(300, 400, 6);
  Seen seen;
  show(made.capture, seen);
  const auto slices = seen.on(kGpu + "stream 7");
  ASSERT_EQ(slices.size(), 2U);
  EXPECT_EQ(slices[0].category, "kernel");
  EXPECT_EQ(slices[0].arguments, (std::map<std::string, std::string>{{"family", "gemm"},
                                                                     {"grid", "4 5 6"},
                                                                     {"block", "128 1 1"},
                                                                     {"registers", "96"},
                                                                     {"shared_bytes", "1024"},
                                                                     {"correlation", "5"},
                                                                     {"graph", "3"},
                                                                     {"graph_node", "77"}}));
  EXPECT_EQ(slices[1].category, "gpu_memcpy");
  EXPECT_EQ(slices[1].name, "memcpy device to host");
}

TEST(TraceEvents, SumIdleTimeUpToTheAnalysisByCause) {
  HandMade made;
  made.steps(6);
  made.call(3'600, 3'900, ApiClass::synchronise);
  made.overhead(2'700, 2'750, "Activity Buffer Request");
  Seen seen;
  show(made.capture, seen);
  const Analysis analysis = analyze_one(made.capture, step_spec());
  std::map<std::string, std::int64_t> shown;
  for (const Slice& slice : seen.on(kGpu + "idle")) {
    shown[slice.name] += slice.end_ns - slice.start_ns;
    EXPECT_EQ(slice.arguments.at("before"), "ampere_sgemm_128x128_tn");
  }
  std::map<std::string, std::int64_t> expected;
  for (const IdleTime& idle : only_device(analysis).idle)
    expected[std::string(to_string(idle.cause))] = idle.total_ns;
  EXPECT_EQ(shown, expected);
  EXPECT_GE(expected.size(), 3U);
}

TEST(TraceEvents, PutOverlappingOperationsOfAStreamOnAFurtherLane) {
  HandMade made;
  made.kernel(0, 100);
  made.kernel(90, 200);   // programmatic dependent launch
  made.kernel(150, 180);  // wholly inside: of its own too, nothing is nested on a GPU
  made.kernel(200, 300);
  Seen seen;
  show(made.capture, seen);
  EXPECT_EQ(seen.on(kGpu + "stream 7").size(), 3U);
  EXPECT_EQ(seen.on(kGpu + "stream 7 (2)").size(), 1U);
}

TEST(TraceEvents, TellStreamsOfOneNumberApartByContext) {
  HandMade made;
  made.kernel(0, 100).context = 1;
  made.kernel(50, 150).context = 2;
  Seen seen;
  show(made.capture, seen);
  EXPECT_EQ(seen.on(kGpu + "context 1, stream 7").size(), 1U);
  EXPECT_EQ(seen.on(kGpu + "context 2, stream 7").size(), 1U);
}

TEST(TraceEvents, TellProcessesThatShareADeviceApart) {
  HandMade one;
  one.kernel(0, 100);
  HandMade other;
  other.capture.pid = 4343;
  other.kernel(50, 150);
  other.range(0, 100, "decode");
  const Classifier rules = classifier();
  const StepsSpec steps;
  const std::vector<const Capture*> captures{&one.capture, &other.capture};
  const std::vector<TraceRun> runs{
      {.label = {}, .captures = captures, .steps = steps, .classifier = rules}};
  Seen seen;
  ASSERT_TRUE(emit_trace(runs, seen).ok());
  EXPECT_EQ(seen.on(kGpu + "process 4242, stream 7").size(), 1U);
  EXPECT_EQ(seen.on(kGpu + "process 4343, stream 7").size(), 1U);
  EXPECT_EQ(seen.on("process 4343 / thread 1 ranges").size(), 1U);
  std::set<std::uint32_t> numbers;
  for (const auto& [number, name] : seen.processes) numbers.insert(number);
  for (const auto& [number, name] : seen.tracks) numbers.insert(number);
  EXPECT_EQ(numbers.size(), seen.processes.size() + seen.tracks.size());
}

TEST(TraceEvents, SurviveTimesThatNoClockShows) {
  HandMade made;
  for (const std::int64_t start : {std::int64_t{1}, std::int64_t{5}, kForever - 1}) {
    KernelRecord& kernel = made.kernel(0, 0);
    kernel.start_ns = start;
    kernel.end_ns = kForever;
  }
  made.steps(5);
  made.range(0, 0, "forever");
  made.capture.ranges.back().start_ns = -kForever;
  made.capture.ranges.back().end_ns = kForever;
  Seen seen;
  EXPECT_EQ(show(made.capture, seen).left_out, 3);
  for (const Slice& slice : seen.slices) {
    EXPECT_GE(slice.start_ns, 0) << slice.name;
    EXPECT_GE(slice.end_ns, slice.start_ns) << slice.name;
  }
}

TEST(TraceEvents, LeadAnArrowFromALaunchToItsFirstOperationOnly) {
  HandMade made;
  made.call(0, 50, ApiClass::graph_launch, 9);
  made.node(100, 200, 9, 1);
  made.node(210, 300, 9, 2);
  Seen seen;
  const TraceTotals totals = show(made.capture, seen);
  EXPECT_EQ(totals.arrows, 1);
  ASSERT_EQ(seen.arrows.size(), 1U);
  const auto& [from, to] = seen.arrows.begin()->second;
  EXPECT_EQ(from, kHost + "thread 1 calls at " +
                      std::to_string(seen.on(kHost + "thread 1 calls")[0].start_ns));
  EXPECT_EQ(to, kGpu + "stream 7 at " + std::to_string(seen.on(kGpu + "stream 7")[0].start_ns));
}

TEST(TraceEvents, DrawNoArrowBackInTime) {
  HandMade made;
  made.call(100, 150, ApiClass::kernel_launch, 9);
  made.kernel(90, 200, 9);  // a clock's error
  Seen seen;
  EXPECT_EQ(show(made.capture, seen).arrows, 0);
  EXPECT_THAT(seen.arrows, IsEmpty());
}

TEST(TraceEvents, KeepRangesOfAThreadNestedAndOthersApart) {
  HandMade made;
  made.kernel(0, 1'000);
  made.range(0, 1'000, "outer");
  made.range(100, 300, "inner");
  made.range(200, 400, "outlives inner");
  made.range(10, 20, "request");
  made.capture.ranges.back().is_push_pop = false;
  made.range(50, 60, "elsewhere", 2);
  Seen seen;
  show(made.capture, seen);
  const auto nested = seen.on(kHost + "thread 1 ranges");
  ASSERT_EQ(nested.size(), 2U);
  EXPECT_EQ(nested[0].name, "outer");
  EXPECT_EQ(nested[1].name, "inner");
  EXPECT_EQ(seen.on(kHost + "thread 1 ranges (2)").size(), 1U);
  EXPECT_EQ(seen.on(kHost + "thread 1 start/end ranges").size(), 1U);
  EXPECT_EQ(seen.on(kHost + "thread 2 ranges").size(), 1U);
}

TEST(TraceEvents, CutARangeAroundTheWholeProgramToWhatIsShown) {
  HandMade made;
  made.kernel(5'000, 6'000);
  made.range(-900'000, 0, "main");
  made.capture.ranges.back().end_ns = 0;  // still open at the end
  made.range(-800'000, -700'000, "setup");
  Seen seen;
  show(made.capture, seen);
  const auto ranges = seen.on(kHost + "thread 1 ranges");
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(ranges[0].start_ns, 0);
  EXPECT_EQ(ranges[0].end_ns, 1'000);
}

TEST(TraceEvents, PutTwoRunsSideBySideFromTheirWindows) {
  HandMade base;
  base.steps(5, 1'000'000, 500'000);
  HandMade head;
  head.steps(7, 3'000'000, 500'000);
  const Classifier rules = classifier();
  const StepsSpec steps = step_spec().steps;
  const std::vector<const Capture*> first{&base.capture};
  const std::vector<const Capture*> second{&head.capture};
  Seen seen;
  const std::vector<TraceRun> runs{
      {.label = "base", .captures = first, .steps = steps, .classifier = rules},
      {.label = "head", .captures = second, .steps = steps, .classifier = rules}};
  const auto totals = emit_trace(runs, seen);
  ASSERT_TRUE(totals.ok());
  EXPECT_EQ(totals.value().window_at_ns, 4 * kMillisecond);  // head's: 3.00003 ms
  for (const char* label : {"base: ", "head: "}) {
    EXPECT_EQ(seen.on(label + kGpu + "window").front().start_ns, 4 * kMillisecond);
    EXPECT_FALSE(seen.on(label + kHost + "thread 1 calls").empty());
  }
}

TEST(TraceEvents, LeaveOutRecordsWithoutATimeAndCountThem) {
  HandMade made;
  made.kernel(0, 100);
  made.kernel(0, 100).start_ns = 0;
  made.kernel(0, 0).end_ns = kForever;
  made.call(10, 20, ApiClass::other);
  made.capture.api_calls.back().start_ns = -5;
  Seen seen;
  EXPECT_EQ(show(made.capture, seen).left_out, 3);
  EXPECT_EQ(seen.on(kGpu + "stream 7").size(), 1U);
  for (const Slice& slice : seen.slices) {
    EXPECT_GE(slice.start_ns, 0) << slice.name;
    EXPECT_LE(slice.end_ns, kMillisecond + 100) << slice.name;
  }
}

TEST(TraceEvents, EndWithTheErrorOfTheSink) {
  HandMade made;
  made.steps(5);
  const Classifier rules = classifier();
  const StepsSpec steps = step_spec().steps;
  const std::vector<const Capture*> captures{&made.capture};
  const std::vector<TraceRun> runs{
      {.label = {}, .captures = captures, .steps = steps, .classifier = rules}};
  for (const int after : {1, 2, 4, 9, 20}) {
    Seen seen;
    seen.left = after;
    const auto totals = emit_trace(runs, seen);
    ASSERT_FALSE(totals.ok()) << after;
    EXPECT_EQ(totals.error().message, "full");
  }
}

TEST(TraceEvents, OfNothingAreAnError) {
  HandMade made;
  const Classifier rules = classifier();
  const StepsSpec steps;
  const std::vector<const Capture*> captures{&made.capture};
  const std::vector<TraceRun> runs{
      {.label = {}, .captures = captures, .steps = steps, .classifier = rules}};
  Seen seen;
  const auto totals = emit_trace(runs, seen);
  ASSERT_FALSE(totals.ok());
  EXPECT_THAT(totals.error().message, HasSubstr("nothing to draw"));
}

TEST(TraceLanes, UseTheFirstThatIsFree) {
  TraceLanes lanes(TraceLanes::First::disjoint);
  EXPECT_EQ(lanes.place(0, 10), 0U);
  EXPECT_EQ(lanes.place(5, 20), 1U);
  EXPECT_EQ(lanes.place(6, 8), 2U);
  EXPECT_EQ(lanes.place(10, 12), 0U);
  EXPECT_EQ(lanes.place(10, 10), 2U);
  EXPECT_EQ(lanes.place(20, 30), 0U);
}

TEST(TraceLanes, NestInTheFirstAlone) {
  TraceLanes lanes(TraceLanes::First::nested);
  EXPECT_EQ(lanes.place(0, 100), 0U);
  EXPECT_EQ(lanes.place(0, 50), 0U);
  EXPECT_EQ(lanes.place(40, 60), 1U);
  EXPECT_EQ(lanes.place(45, 50), 0U);
  EXPECT_EQ(lanes.place(50, 55), 0U);
  EXPECT_EQ(lanes.place(90, 110), 1U);
  EXPECT_EQ(lanes.place(95, 120), 2U);
}

}  // namespace
}  // namespace perfgate::analysis
