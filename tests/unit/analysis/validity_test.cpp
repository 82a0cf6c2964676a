#include <algorithm>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/analysis/traced_process.h"
#include "tests/support/synthetic_capture.h"
#include "tests/unit/analysis/hand_made.h"

namespace perfgate::analysis {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::PrintToString;
using ::testing::SizeIs;

Capture synthetic(bool graph) {
  perfgate::testing::SyntheticCaptureOptions options;
  options.graph = graph;
  return perfgate::testing::synthetic_capture(options);
}

TimingSamples untraced(double ms, std::size_t steps = 200, int processes = 3) {
  TimingSamples timing;
  for (int i = 0; i < processes; ++i)
    timing.processes.push_back({i, std::vector<double>(steps, ms)});
  return timing;
}

void expect_reason(const Analysis& analysis, Validity validity, const char* text) {
  EXPECT_EQ(analysis.capture.validity, validity) << PrintToString(analysis.capture.reasons);
  EXPECT_THAT(analysis.capture.reasons, Contains(HasSubstr(text)));
}

TEST(Validity, ASoundSyntheticCaptureIsValid) {
  for (const bool graph : {false, true}) {
    const Capture capture = synthetic(graph);
    const Analysis analysis = analyze_one(capture, step_spec());
    EXPECT_EQ(analysis.capture.validity, Validity::valid)
        << PrintToString(analysis.capture.reasons);
    EXPECT_EQ(only_device(analysis).steps, 10);
    EXPECT_EQ(accounted_ns(only_device(analysis)), only_device(analysis).window_ns);
  }
}

TEST(Validity, NoTracedProcessAndNoCaptureAreInvalid) {
  const WorkloadSpec spec = plain_spec();
  const TimingSamples timing;
  const auto none =
      analyze({.spec = spec, .traced = {}, .timing = timing, .work = {}, .ceilings = {}});
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none.value().capture.validity, Validity::invalid);
  const std::vector<TracedInput> empty{
      {.process = 2, .captures = {}, .traced_step_ms = {}, .first_captured_step = 0}};
  const auto lost =
      analyze({.spec = spec, .traced = empty, .timing = timing, .work = {}, .ceilings = {}});
  ASSERT_TRUE(lost.ok());
  expect_reason(lost.value(), Validity::invalid, "left no capture file");
}

TEST(Validity, NoKernelIsInvalidAndTheProbesReasonsAreTold) {
  HandMade made;
  made.capture.reasons.push_back("another CUPTI subscriber holds the process");
  const Analysis analysis = analyze_one(made.capture, plain_spec());
  expect_reason(analysis, Validity::invalid, "no GPU kernel");
  expect_reason(analysis, Validity::invalid, "another CUPTI subscriber");
}

TEST(Validity, DroppedRecordsAreInvalidAndUnknownIsNotZero) {
  HandMade made;
  made.steps(12);
  made.capture.dropped = 3;
  expect_reason(analyze_one(made.capture, step_spec()), Validity::invalid, "lost 3 records");
  made.capture.dropped.reset();
  expect_reason(analyze_one(made.capture, step_spec()), Validity::partial, "did not say");
}

TEST(Validity, AnUnfinishedFileOrWindowIsPartial) {
  HandMade made;
  made.steps(12);
  made.capture.complete = false;
  expect_reason(analyze_one(made.capture, step_spec()), Validity::partial, "no end block");
  made.capture.complete = true;
  made.capture.windows[0].closed_ns = 0;
  expect_reason(analyze_one(made.capture, step_spec()), Validity::partial, "still open");
  made.capture.windows.clear();
  expect_reason(analyze_one(made.capture, step_spec()), Validity::partial, "no window was opened");
}

TEST(Validity, AStepWithoutGpuWorkIsInvalid) {
  HandMade made;
  made.steps(12);
  made.capture.kernels.erase(made.capture.kernels.begin() + 5);
  expect_reason(analyze_one(made.capture, step_spec()), Validity::invalid,
                "step 6 of the window has no GPU work");
}

TEST(Validity, FewerStepsThanAskedIsPartial) {
  HandMade made;
  made.steps(5);
  expect_reason(analyze_one(made.capture, step_spec(10)), Validity::partial,
                "holds 3 whole steps, 10 were asked for");
}

TEST(Validity, UnderRecordedGraphReplayIsInvalid) {
  Capture capture = synthetic(true);
  ASSERT_GT(capture.kernels.size(), 600U);
  capture.kernels.erase(capture.kernels.begin() + 500);  // one node of one launch
  expect_reason(analyze_one(capture, step_spec()), Validity::invalid,
                "ran other nodes than its first one");
}

TEST(Validity, AGraphThatRunsFewerNodesThanWereCreatedIsInvalid) {
  HandMade made;
  for (std::uint64_t id = 1; id <= 3; ++id) {
    made.capture.graph_nodes.push_back({.node = id,
                                        .original_node = 0,
                                        .graph = 3,
                                        .nvtx_path = 0,
                                        .kind = GraphNodeKind::kernel});
  }
  for (int i = 0; i < 6; ++i) {
    const auto id = static_cast<std::uint32_t>(10 + i);
    const std::int64_t at = std::int64_t{i} * 1000;
    made.call(at, at + 20, ApiClass::graph_launch, id);
    made.node(at + 50, at + 150, id, 1);
    made.node(at + 160, at + 260, id, 2);
  }
  expect_reason(analyze_one(made.capture, plain_spec()), Validity::invalid,
                "created with 3 kernel, copy and memset");
  made.capture.graph_nodes.push_back(
      {.node = 9, .original_node = 0, .graph = 3, .nvtx_path = 0, .kind = GraphNodeKind::other});
  expect_reason(analyze_one(made.capture, plain_spec()), Validity::partial, "created with 3");
}

TEST(Validity, AGraphLaunchWithoutAnyRecordIsInvalid) {
  HandMade made;
  made.steps(12);
  made.call(5500, 5520, ApiClass::graph_launch);
  expect_reason(analyze_one(made.capture, step_spec()), Validity::invalid, "left no GPU record");
}

TEST(Validity, AnEagerLaunchWithoutItsKernelIsPartialAndNamesItsNeighbour) {
  HandMade made;
  made.steps(12);
  for (std::int64_t at = 0; at < 12'000; at += 1000) {
    const auto id = static_cast<std::uint32_t>(500 + at / 1000);
    made.call(at + 35, at + 45, ApiClass::kernel_launch, id);
    made.kernel(at + 600, at + 700, id, "rms_norm_kernel");
  }
  EXPECT_EQ(analyze_one(made.capture, step_spec()).capture.validity, Validity::valid);
  std::erase_if(made.capture.kernels, [](const KernelRecord& k) { return k.correlation == 505; });
  expect_reason(analyze_one(made.capture, step_spec()), Validity::partial,
                "1 of 20 launch calls in the window left no GPU record; the first is call after "
                "'ampere_sgemm_128x128_tn'");
}

TEST(Validity, AKernelWithoutItsLaunchCallIsPartialAndNamed) {
  Capture capture = synthetic(false);
  ASSERT_GT(capture.api_calls.size(), 600U);
  const auto lost = std::ranges::find_if(
      capture.api_calls.begin() + 500, capture.api_calls.end(),
      [](const ApiRecord& call) { return call.api_class == ApiClass::kernel_launch; });
  const std::uint32_t id = lost->correlation;
  const auto kernel = std::ranges::find(capture.kernels, id, &KernelRecord::correlation);
  ASSERT_NE(kernel, capture.kernels.end());
  capture.api_calls.erase(lost);
  expect_reason(analyze_one(capture, step_spec()), Validity::partial,
                "1 of 960 kernels in the window have no record of the call that launched them; the "
                "first is '");
}

TEST(Validity, AnyOneDroppedRecordOfAnEagerStepIsFound) {
  const Capture whole = synthetic(false);
  const std::size_t a_step = whole.kernels.size() / 12;
  for (std::size_t at = a_step + 1; at < 2 * a_step - 1; at += 7) {
    Capture capture = whole;
    capture.kernels.erase(capture.kernels.begin() + static_cast<std::ptrdiff_t>(at));
    expect_reason(analyze_one(capture, step_spec()), Validity::partial, "left no GPU record");
  }
}

TEST(Validity, ADriverLaunchInsideARuntimeLaunchNeedsNoRecordOfItsOwn) {
  HandMade made;
  made.steps(12);
  for (std::int64_t at = 0; at < 12'000; at += 1000)
    made.call(at + 15, at + 25, ApiClass::kernel_launch);
  EXPECT_EQ(analyze_one(made.capture, step_spec()).capture.validity, Validity::valid);
}

TEST(Validity, ALaunchThatFailedIsSuspectAndOwesNoRecord) {
  HandMade made;
  made.steps(12);
  made.call(3500, 3520, ApiClass::kernel_launch);
  made.capture.api_calls.back().result = 9;
  const Analysis analysis = analyze_one(made.capture, step_spec());
  expect_reason(analysis, Validity::suspect, "1 launch call in the window failed; the first is");
  expect_reason(analysis, Validity::suspect, "returned 9");
  EXPECT_EQ(analysis.capture.reasons.size(), 1U) << PrintToString(analysis.capture.reasons);
}

TEST(Validity, LaunchesOfAStreamCaptureOweNoRecord) {
  HandMade made;
  made.steps(12);
  made.call(5400, 5410, ApiClass::graph_build);
  made.capture.api_calls.back().name = made.text("cudaStreamBeginCapture");
  made.call(5500, 5520, ApiClass::kernel_launch, 0, 2);
  made.call(5600, 5610, ApiClass::graph_build);
  made.capture.api_calls.back().name = made.text("cudaStreamEndCapture");
  const Analysis analysis = analyze_one(made.capture, step_spec());
  EXPECT_EQ(analysis.capture.validity, Validity::valid) << PrintToString(analysis.capture.reasons);
  made.call(5700, 5720, ApiClass::kernel_launch, 0, 2);
  expect_reason(analyze_one(made.capture, step_spec()), Validity::partial,
                "1 of 12 launch calls in the window left no GPU record; the first is call");
}

TEST(Validity, LaunchesAfterTheWindowAndKernelsFromBeforeItOweNothing) {
  HandMade made;
  for (std::int64_t i = 0; i < 6; ++i) {
    const auto id = static_cast<std::uint32_t>(10 + i);
    made.call(i * 1000, i * 1000 + 20, ApiClass::kernel_launch, id);
    made.kernel(i * 1000 + 50, i * 1000 + 500, id);
  }
  made.kernel(510, 700, 9);  // launched before the window opened
  made.call(7000, 7020, ApiClass::kernel_launch);
  made.capture.windows[0] = {
      .opened_ns = HandMade::kOrigin, .closed_ns = HandMade::kOrigin + 6500, .opened_by = 0};
  EXPECT_EQ(analyze_one(made.capture, plain_spec()).capture.validity, Validity::valid);
  made.capture.windows[0].closed_ns += 1000;
  expect_reason(analyze_one(made.capture, plain_spec()), Validity::partial, "1 of 7 launch calls");
}

TEST(Validity, AProgramThatTheTracedOneReplacedSaysNothing) {
  HandMade launcher;
  launcher.capture.complete = false;
  launcher.capture.dropped.reset();
  launcher.capture.windows.clear();
  HandMade program;
  program.steps(12);
  const WorkloadSpec spec = step_spec();
  const TimingSamples timing;
  const auto verdict_of = [&] {
    const std::vector<TracedInput> traced{{.process = 1,
                                           .captures = {&launcher.capture, &program.capture},
                                           .traced_step_ms = {},
                                           .first_captured_step = 0}};
    return analyze({.spec = spec, .traced = traced, .timing = timing, .work = {}, .ceilings = {}})
        .value()
        .capture;
  };
  EXPECT_EQ(verdict_of().validity, Validity::valid) << PrintToString(verdict_of().reasons);
  launcher.capture.process_start_ticks = 7;  // another process: it was killed
  EXPECT_EQ(verdict_of().validity, Validity::partial);
}

TEST(Validity, AHelperProcessWithoutAGpuSaysNothingAndOneWithAGpuIsMissing) {
  HandMade helper;
  helper.capture.pid = 78;
  helper.capture.windows.clear();
  helper.capture.devices.clear();
  helper.capture.reasons = {"the window never opened: 0 outermost ranges matched \"step\""};
  HandMade program;
  program.steps(12);
  const std::vector<const Capture*> both{&program.capture, &helper.capture};
  EXPECT_THAT(captures_that_count(both), ElementsAre(&program.capture));
  helper.capture.complete = false;  // killed before it could tell
  EXPECT_THAT(captures_that_count(both), SizeIs(2));
  helper.capture.complete = true;
  helper.capture.devices = program.capture.devices;
  EXPECT_THAT(captures_that_count(both), SizeIs(2));
  const std::vector<const Capture*> alone{&helper.capture};
  EXPECT_THAT(captures_that_count(alone), SizeIs(1)) << "a run without a window says so";
}

TEST(Validity, AKernelBeforeItsLaunchIsSuspectBeyondTheClockError) {
  HandMade made;
  made.steps(12, 100'000, 50'000);
  made.capture.api_calls[4].start_ns +=
      4'000;  // the kernel starts 30 ns after the call: within 5 us
  EXPECT_EQ(analyze_one(made.capture, step_spec()).capture.validity, Validity::valid);
  made.capture.api_calls[4].start_ns += 20'000;
  expect_reason(analyze_one(made.capture, step_spec()), Validity::suspect,
                "before the call that launched it");
}

TEST(Validity, MoreBusyTimeThanAnUntracedStepLastsIsSuspect) {
  HandMade made;
  made.steps(12, 1'000'000, 900'000);
  EXPECT_EQ(analyze_one(made.capture, step_spec(), untraced(0.90)).capture.validity,
            Validity::valid);
  expect_reason(analyze_one(made.capture, step_spec(), untraced(0.80)), Validity::suspect,
                "0.900 ms in a traced step");
}

TEST(Validity, AStepAsBusyAsLaterUntracedOnesIsNoSuspect) {
  // A power cap that is met after the traced steps in most processes, and before them in one.
  HandMade made;
  made.steps(12, 1'000'000, 900'000);
  TimingSamples timing = untraced(0.90, 200);
  for (ProcessTiming& process : timing.processes) std::fill_n(process.step_ms.begin(), 60, 0.80);
  const std::vector<double> own(20, 1.0);
  EXPECT_EQ(analyze_one(made.capture, step_spec(), timing, own, 3).capture.validity,
            Validity::valid);
}

TEST(Validity, TracedStepTimesOfAnotherClockOrUnitAreInvalid) {
  HandMade made;
  made.steps(12, 1'000'000, 900'000);
  const auto with_own = [&](double own_ms, double untraced_ms) {
    return analyze_one(made.capture, step_spec(), untraced(untraced_ms),
                       std::vector<double>(20, own_ms), 3);
  };
  EXPECT_EQ(with_own(1.05, 1.0).capture.validity, Validity::valid);
  EXPECT_EQ(with_own(1.05, 0.9).capture.validity, Validity::valid) << "a tracing tax";
  expect_reason(with_own(100.0, 1.0), Validity::invalid,
                "says 100.000 ms a traced step, and the capture of the same steps 1.000 ms");
  expect_reason(with_own(0.01, 1.0), Validity::invalid,
                "and without tracing the same steps take 1.000 ms");
}

TEST(Validity, AModuleLoadInsideTheWindowIsSuspectButNotBeforeIt) {
  HandMade made;
  made.steps(12);
  made.call(500, 520, ApiClass::module_load);  // in the first step, which is not counted
  EXPECT_EQ(analyze_one(made.capture, step_spec()).capture.validity, Validity::valid);
  made.call(4500, 4520, ApiClass::module_load);
  expect_reason(analyze_one(made.capture, step_spec()), Validity::suspect,
                "1 module load inside the window");
}

TEST(Validity, UnsteadyStepsAtEqualWorkAreSuspect) {
  HandMade made;
  made.steps(12, 1'000'000, 400'000);
  made.capture.kernels[6].end_ns += 300'000;
  expect_reason(analyze_one(made.capture, step_spec()), Validity::suspect, "1 step of 10 differ");
}

TEST(Validity, ClocksThatNoSixtyFourBitsHoldAreSuspect) {
  HandMade made;
  made.steps(12);
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  made.capture.clocks = {{.realtime_ns = kEnd, .monotonic_ns = -kEnd, .cupti_ns = 0},
                         {.realtime_ns = -kEnd, .monotonic_ns = kEnd, .cupti_ns = 0}};
  expect_reason(analyze_one(made.capture, step_spec()), Validity::suspect, "wall clock moved");
}

TEST(Validity, AStepOfTheWallClockIsSuspect) {
  HandMade made;
  made.steps(12);
  made.capture.clocks = {{.realtime_ns = 1'000'000, .monotonic_ns = 1'000, .cupti_ns = 0},
                         {.realtime_ns = 1'900'000, .monotonic_ns = 2'000, .cupti_ns = 0}};
  expect_reason(analyze_one(made.capture, step_spec()), Validity::suspect, "wall clock moved");
}

TEST(Validity, AProcessThatLaunchedButLeftNoRecordIsInvalid) {
  HandMade good;
  good.steps(12);
  HandMade silent;
  silent.capture.pid = 77;
  silent.call(0, 10, ApiClass::kernel_launch, 1);
  const WorkloadSpec spec = step_spec();
  const TimingSamples timing;
  const std::vector<TracedInput> traced{{.process = 1,
                                         .captures = {&good.capture, &silent.capture},
                                         .traced_step_ms = {},
                                         .first_captured_step = 0}};
  const auto result =
      analyze({.spec = spec, .traced = traced, .timing = timing, .work = {}, .ceilings = {}});
  ASSERT_TRUE(result.ok());
  expect_reason(result.value(), Validity::invalid,
                "process 77 made 1 launch call, but no GPU record came");
}

TEST(Validity, TheJointVerdictIsTheWorstAndNamesTheProcesses) {
  HandMade made;
  made.steps(12);
  made.capture.dropped.reset();
  const WorkloadSpec spec = step_spec();
  const TimingSamples timing;
  const std::vector<TracedInput> traced{
      {.process = 6, .captures = {&made.capture}, .traced_step_ms = {}, .first_captured_step = 0},
      {.process = 7, .captures = {&made.capture}, .traced_step_ms = {}, .first_captured_step = 0}};
  const auto result =
      analyze({.spec = spec, .traced = traced, .timing = timing, .work = {}, .ceilings = {}});
  ASSERT_TRUE(result.ok());
  expect_reason(result.value(), Validity::partial, "traced process 6, 7: CUPTI did not say");
}

TEST(TracedRatio, ComparesTheSameStepIndices) {
  HandMade made;
  made.steps(12);
  TimingSamples timing = untraced(1.0, 20);
  for (ProcessTiming& process : timing.processes) {
    for (std::size_t i = 0; i < 20; ++i) process.step_ms[i] = i >= 4 && i < 14 ? 2.0 : 1.0;
  }
  std::vector<double> own(20, 1.0);
  for (std::size_t i = 4; i < 14; ++i) own[i] = 2.1;
  const Analysis analysis = analyze_one(made.capture, step_spec(), timing, own, 3);
  EXPECT_DOUBLE_EQ(analysis.traced[0].traced_step_ms, 2.1);
  EXPECT_DOUBLE_EQ(analysis.traced[0].traced_over_untraced, 2.1 / 2.0);
  EXPECT_EQ(analyze_one(made.capture, step_spec(), timing, own, 15).traced[0].traced_over_untraced,
            0.0);
}

TEST(TracedRatio, WithoutOwnResultsTheWindowsPeriodsServe) {
  HandMade made;
  made.steps(12, 1'000'000, 400'000);
  const Analysis analysis = analyze_one(made.capture, step_spec(), untraced(0.98));
  EXPECT_DOUBLE_EQ(analysis.traced[0].traced_step_ms, 1.0);
  EXPECT_NEAR(analysis.traced[0].traced_over_untraced, 1.0 / 0.98, 1e-12);
}

}  // namespace
}  // namespace perfgate::analysis
