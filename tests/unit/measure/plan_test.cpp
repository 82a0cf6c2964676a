// In which order processes run, when more are added, and what is repeated. Children are played, no
// time passes but what a test says.
#include <cerrno>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/measure/run_folder.h"
#include "runner/measure/samples.h"
#include "tests/unit/measure/played_children.h"

namespace perfgate::measure {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MeasurePlan : public PlayedChildren {};

TEST_F(MeasurePlan, ControlsStandAroundEachTimingProcessAndTracesComeLast) {
  spec.trace.processes = {2, 5};
  spec.source_text = "perfgate: 1\n";
  const Measurement measurement = run();
  EXPECT_THAT(roles(),
              ElementsAre("control", "timing", "control", "timing", "control", "trace", "trace"));
  ASSERT_EQ(measurement.controls.size(), 1U);
  EXPECT_EQ(measurement.controls[0].name, "read_stream");
  EXPECT_EQ(measurement.controls[0].readings, std::vector<double>(3, 4.5e12));
  EXPECT_EQ(measurement.fingerprint.environment.at("gpu"), "NVIDIA H200");
  EXPECT_DOUBLE_EQ(measurement.wall_s, 7.0);
  EXPECT_EQ(files.read("/run/workload.yaml").value(), "perfgate: 1\n");
  EXPECT_EQ(measurement.processes.back().capture_files,
            std::vector<std::string>{"captures/06/1-2.pgcap"});
}

TEST_F(MeasurePlan, TheFolderReadsBackAsTheMeasurement) {
  spec.trace.processes = {1};
  device.samples[0].temperature_c = 41;
  const Measurement measurement = run();
  const auto read = read_processes(files, "/run");
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read.value().size(), measurement.processes.size());
  for (std::size_t i = 0; i < read.value().size(); ++i) {
    EXPECT_EQ(read.value()[i].index, measurement.processes[i].index);
    EXPECT_EQ(read.value()[i].role, measurement.processes[i].role);
    EXPECT_EQ(read.value()[i].after->temperature_c, 41U);
    EXPECT_EQ(read.value()[i].capture_files, measurement.processes[i].capture_files);
    EXPECT_EQ(read.value()[i].results.has_value(), measurement.processes[i].results.has_value());
  }
  const auto captures = load_captures(files, "/run", read.value().back());
  ASSERT_TRUE(captures.ok());
  EXPECT_EQ(captures.value()[0].ranges.size(), 13U);
}

TEST_F(MeasurePlan, WithoutAGpuThereAreNoControlsAndNoDevice) {
  options.gpu_uuid.clear();
  const Measurement measurement = run();
  EXPECT_THAT(roles(), ElementsAre("timing", "timing"));
  EXPECT_FALSE(runner.requests[0].environment.contains("CUDA_VISIBLE_DEVICES"));
  EXPECT_FALSE(measurement.processes[0].before.has_value());
}

TEST_F(MeasurePlan, LooksGoOnOnlyWhileMoreIsNeeded) {
  options.controls = false;
  spec.timing.processes = {2, 4, 6};
  std::vector<std::size_t> seen;
  run([&](const Measurement& so_far, ProcessRole role) {
    EXPECT_EQ(role, ProcessRole::timing);
    EXPECT_EQ(so_far.fingerprint.environment.at("gpu"), "NVIDIA H200");
    seen.push_back(so_far.processes.size());
    return so_far.processes.size() < 4;
  });
  EXPECT_THAT(seen, ElementsAre(2, 4));
  EXPECT_EQ(runner.requests.size(), 4U);
}

TEST_F(MeasurePlan, TracedProcessesHaveLooksOfTheirOwn) {
  options.controls = false;
  spec.trace.processes = {1, 2, 4};
  std::vector<std::size_t> seen;
  const Measurement measurement = run([&](const Measurement& so_far, ProcessRole role) {
    if (role == ProcessRole::trace) seen.push_back(so_far.processes.size());
    return so_far.processes.size() < 4;
  });
  EXPECT_THAT(seen, ElementsAre(3, 4));
  EXPECT_THAT(roles(), ElementsAre("timing", "timing", "trace", "trace"));
  EXPECT_THAT(progress.phases, ElementsAre("timing 2", "trace 1", "trace 2"));
  EXPECT_THAT(measurement.notes, ElementsAre("after 1 traced process undecided: going on to 2"));
}

TEST_F(MeasurePlan, TheBudgetHoldsForTracedLooksToo) {
  options.controls = false;
  child_s = 10.0;
  spec.trace.processes = {1, 2, 8};
  spec.timing.budget_s = 50.0;
  const Measurement measurement = run([](const Measurement&, ProcessRole) { return true; });
  EXPECT_THAT(roles(), ElementsAre("timing", "timing", "trace", "trace"));
  EXPECT_THAT(measurement.notes,
              Contains("stopped at 2 traced processes: 8 would exceed timing.budget (50 s)"));
}

TEST_F(MeasurePlan, WhoIsAskedSeesTheControlsToo) {
  spec.timing.processes = {1, 2};
  std::size_t readings = 0;
  run([&](const Measurement& so_far, ProcessRole) {
    readings = so_far.controls.at(0).readings.size();
    return false;
  });
  EXPECT_EQ(readings, 2U);
}

TEST_F(MeasurePlan, TheLastLookAsksNobody) {
  options.controls = false;
  spec.timing.processes = {1, 2};
  int asked = 0;
  run([&](const Measurement&, ProcessRole) { return ++asked > 0; });
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(runner.requests.size(), 2U);
}

TEST_F(MeasurePlan, TheBudgetStopsAtTheLastLookThatFits) {
  options.controls = false;
  child_s = 10.0;
  spec.timing = {.processes = {2, 4, 8}, .budget_s = 50.0};
  const Measurement measurement = run([](const Measurement&, ProcessRole) { return true; });
  EXPECT_EQ(runner.requests.size(), 4U);
  EXPECT_THAT(measurement.notes,
              Contains(HasSubstr("stopped at 4 processes: 8 would exceed timing.budget (50 s)")));
}

TEST_F(MeasurePlan, TheFirstLookRunsEvenOverBudgetAndSaysSo) {
  options.controls = false;
  child_s = 100.0;
  spec.timing.budget_s = 50.0;
  const Measurement measurement = run();
  EXPECT_EQ(timing_samples(spec, measurement.processes).processes.size(), 2U);
  EXPECT_THAT(measurement.notes, Contains(HasSubstr("more than timing.budget (50 s)")));
}

TEST_F(MeasurePlan, AThrottledProcessIsRepeatedAndItsTimesAreLeftOut) {
  options.controls = false;
  const DeviceSample cool = device.samples[0];
  DeviceSample hot = cool;
  hot.thermal_slowdown_us = 5'000'000;
  device.samples = {cool, hot, hot};  // the first process heats up, later ones do not
  const Measurement measurement = run();
  ASSERT_EQ(measurement.processes.size(), 3U);
  EXPECT_TRUE(measurement.processes[0].repeated);
  const TimingSamples samples = timing_samples(spec, measurement.processes);
  ASSERT_EQ(samples.processes.size(), 2U);
  EXPECT_EQ(samples.processes[0].process, 1);
  EXPECT_THAT(
      measurement.notes,
      ElementsAre("process 0: the GPU was throttled for 5000 ms: thermal slowdown; repeated"));
  EXPECT_TRUE(read_processes(files, "/run").value()[0].repeated) << "a replay leaves it out, too";
}

TEST_F(MeasurePlan, WhatTheDriverDoesNotCountIsSaidOnceAndRepeatsNothing) {
  options.controls = false;
  device.samples[0].power_brake_us = std::nullopt;
  const Measurement measurement = run();
  EXPECT_EQ(measurement.processes.size(), 2U);
  EXPECT_THAT(measurement.notes, ElementsAre(HasSubstr("does not count power brake")));
}

TEST_F(MeasurePlan, ThePowerCapIsToldAndRepeatsNothing) {
  options.controls = false;
  DeviceSample before = device.samples[0];
  before.power_cap_us = 100'000;
  DeviceSample after = before;
  after.power_cap_us = 323'000;
  device.samples = {before, after, after};
  const Measurement measurement = run();
  EXPECT_EQ(measurement.processes.size(), 2U);
  EXPECT_THAT(measurement.notes, ElementsAre("the power cap held the clocks back in 1 of 2 timing "
                                             "processes, for 223 ms at most"));
  EXPECT_EQ(read_processes(files, "/run").value()[0].after->power_cap_us, 323'000U);
  EXPECT_EQ(read_processes(files, "/run").value()[0].after->power_brake_us, 0U);
}

TEST_F(MeasurePlan, ReadingOutputCanBeInterrupted) {
  options.controls = false;
  auto& command = std::get<CommandRun>(spec.run);
  command.results = ResultsSource::regex;
  options.extract_results = [](const CommandRun&, std::string_view) -> Result<ProcessResults> {
    return Error{
        .code = ErrorCode::interrupted, .message = "interrupted", .hint = {}, .context = {}};
  };
  files.contents["/run/processes/00-timing/stdout.txt"] = "step 4 ms";
  const auto measurement =
      measure({.head = {spec, options}, .base = {}}, {runner, clock, files, device}, progress, {});
  ASSERT_FALSE(measurement.ok());
  EXPECT_EQ(measurement.error().code, ErrorCode::interrupted);
  EXPECT_EQ(read_processes(files, "/run").value()[0].state, ProcessState::interrupted);
}

TEST_F(MeasurePlan, RepeatsHaveACapAndAreReported) {
  options.controls = false;
  spec.timing.processes = {1};
  device.samples[0].other_processes = 1;
  const Measurement measurement = run();
  EXPECT_EQ(measurement.processes.size(), 3U);
  EXPECT_EQ(timing_samples(spec, measurement.processes).processes.size(), 1U);
  EXPECT_THAT(measurement.notes.back(),
              HasSubstr("1 other program was on the GPU; kept after 2 repeats"));
}

TEST_F(MeasurePlan, AFailingControlIsNotedAndNotRepeated) {
  write_results_file = false;
  std::get<CommandRun>(spec.run).results = ResultsSource::nvtx;
  const Measurement measurement = run();
  EXPECT_THAT(roles(), ElementsAre("control", "timing", "timing"));
  EXPECT_THAT(measurement.notes, Contains(HasSubstr("no more controls")));
}

TEST_F(MeasurePlan, NvtxStepsAreFormedAndKeptForReplay) {
  options.controls = false;
  std::get<CommandRun>(spec.run).results = ResultsSource::nvtx;
  write_results_file = false;
  capture = {.names = repeated("decode 1", 8), .gap_ns = 2'000'000, .reasons = {}};
  const Measurement measurement = run();
  EXPECT_EQ(timing_samples(spec, measurement.processes).processes[0].step_ms,
            std::vector<double>(5, 2.0));
  EXPECT_EQ(timing_samples(spec, read_processes(files, "/run").value()).processes[1].step_ms,
            std::vector<double>(5, 2.0));
}

TEST_F(MeasurePlan, ATracedProcessWithoutCapturesSaysWhy) {
  spec.trace.processes = {3};
  write_capture = false;
  const Measurement measurement = run();
  EXPECT_EQ(measurement.processes.back().state, ProcessState::silent);
  EXPECT_THAT(measurement.processes.back().problem, HasSubstr("no CUDA or NVTX call"));
  EXPECT_THAT(progress.finished, Contains("5 trace silent"));
  EXPECT_EQ(measurement.processes.size(), 6U) << "nothing is started after a failure";
}

TEST_F(MeasurePlan, NoMatchingRangeListsTheRangesSeen) {
  spec.trace.processes = {1};
  capture = {
      .names = {}, .window = false, .reasons = {"range seen: forward x40", "range seen: loss x40"}};
  const Measurement measurement = run();
  EXPECT_THAT(measurement.processes.back().problem,
              HasSubstr("ranges seen: forward x40, loss x40"));
}

TEST_F(MeasurePlan, ACaptureThatIsNoneIsAProblemOfThatProcess) {
  spec.trace.processes = {1};
  write_capture = false;
  files.contents["/run/captures/05/9-9.pgcap"] =
      "not a capture at all, but long enough to hold a header";
  const Measurement measurement = run();
  EXPECT_EQ(measurement.processes.back().state, ProcessState::silent);
}

TEST_F(MeasurePlan, AFullDiskIsAnErrorWithThePath) {
  files.fail_writes_with = ENOSPC;
  const auto measurement =
      measure({.head = {spec, options}, .base = {}}, {runner, clock, files, device}, progress, {});
  ASSERT_FALSE(measurement.ok());
  EXPECT_EQ(measurement.error().code, ErrorCode::io);
  EXPECT_THAT(measurement.error().message, HasSubstr("/run"));
}

TEST_F(MeasurePlan, ATracedProcessWithoutItsOwnStepTimesIsNotedOnce) {
  options.controls = false;
  spec.trace.processes = {2};
  end_of = [this](const platform::ProcessRequest& request) {
    if (request.environment.at("PERFGATE_ROLE") == "trace")
      files.contents.at(request.environment.at("PERFGATE_RESULTS")) = "nonsense";
    return platform::ProcessOutcome{};
  };
  const Measurement measurement = run();
  EXPECT_THAT(measurement.notes,
              ElementsAre(HasSubstr("a traced process's own step times are left out: ")));
  EXPECT_EQ(measurement.processes.back().state, ProcessState::ok) << "its capture explains all";
  EXPECT_FALSE(measurement.processes.back().results.has_value());
}

TEST_F(MeasurePlan, ATracedProcessNeedsNoResultsWhereStepsAreOutOfItsOutput) {
  options.controls = false;
  spec.trace.processes = {1};
  write_results_file = false;
  std::get<CommandRun>(spec.run).results = ResultsSource::regex;
  options.extract_results = [](const CommandRun&, std::string_view) -> Result<ProcessResults> {
    ProcessResults results;
    results.steps = {{.step = 0, .ms = 4.0}};
    return results;
  };
  end_of = [this](const platform::ProcessRequest& request) {
    files.contents[request.stdout_path] = "step 4 ms";
    return platform::ProcessOutcome{};
  };
  const Measurement measurement = run();
  EXPECT_EQ(measurement.processes.back().state, ProcessState::ok);
  EXPECT_THAT(measurement.notes, IsEmpty());
}

TEST_F(MeasurePlan, WithoutTheProbeThereIsNoTraceAndANoteSaysSo) {
  spec.trace.processes = {3};
  options.probe_library.clear();
  const Measurement measurement = run();
  EXPECT_THAT(measurement.notes,
              ElementsAre("no traced processes: libperfgate_probe.so is not installed"));
  EXPECT_EQ(runner.requests.size(), 5U);
}

class Replay : public MeasurePlan {};

TEST_F(Replay, ARecordCutAtAnyByteIsCorrupt) {
  options.controls = false;
  run();
  const std::string path = "/run/processes/00-timing/process.json";
  const std::string whole = files.contents.at(path);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    files.contents[path] = whole.substr(0, length);
    EXPECT_FALSE(read_processes(files, "/run").ok()) << length;
  }
}

TEST_F(Replay, MissingResultsAndForeignFoldersAreNamed) {
  options.controls = false;
  run();
  auto copy = files.contents;
  files.contents.erase("/run/processes/01-timing/results.jsonl");
  const auto missing = read_processes(files, "/run");
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message + missing.error().context,
              HasSubstr("01-timing/results.jsonl"));
  files.contents = copy;
  files.contents["/run/processes/07-timing/process.json"] =
      copy.at("/run/processes/01-timing/process.json");
  EXPECT_EQ(read_processes(files, "/run").error().code, ErrorCode::corrupt);
  EXPECT_EQ(read_processes(files, "/nowhere").error().code, ErrorCode::not_found);
}

TEST_F(Replay, ACapturePathCannotLeaveTheFolder) {
  spec.trace.processes = {1};
  options.controls = false;
  run();
  std::string& line = files.contents.at("/run/processes/02-trace/process.json");
  line.replace(line.find("captures/02"), 11, "../../../xx");
  EXPECT_EQ(read_processes(files, "/run").error().code, ErrorCode::corrupt);
}

}  // namespace
}  // namespace perfgate::measure
