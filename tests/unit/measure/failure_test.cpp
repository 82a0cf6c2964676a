// Real children that fail in every way: the run ends, the record says what happened, and all of it
// can be replayed.
#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/measure/run_folder.h"
#include "runner/measure/samples.h"
#include "tests/unit/measure/workbench.h"
#include "tests/unit/platform/temporary_folder.h"

namespace perfgate::measure {
namespace {

using perfgate::testing::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class FailingChild : public ::testing::Test {
 protected:
  Result<Measurement> run(const WorkloadSpec& spec) {
    MeasureOptions options;
    options.run_folder = folder / "run";
    options.environment = {{"PATH", "/usr/bin:/bin"}};
    options.grace_s = 0.1;
    options.extract_results = [this](const CommandRun&,
                                     std::string_view text) -> Result<ProcessResults> {
      ProcessResults results;
      results.steps = {{.step = 0, .ms = text == "{\"ms\": 4.5}\n" ? printed_ms : -1.0}};
      return results;
    };
    const Ports ports{runner, clock, files, device};
    return measure({.head = {spec, options}, .base = {}}, ports, progress, {});
  }
  double printed_ms = 4.5;  ///< what the output is taken to say
  /// The one record of a run whose first process failed.
  ProcessRecord failing(const std::string& mode, double timeout_s = 60.0) {
    WorkloadSpec spec = command_spec({PERFGATE_FAKE_CHILD, mode});
    std::get<CommandRun>(spec.run).timeout_s = timeout_s;
    const auto measurement = run(spec);
    EXPECT_TRUE(measurement.ok());
    if (!measurement.ok() || measurement.value().processes.size() != 1) {
      ADD_FAILURE() << "nothing is started after a failure";
      return {};
    }
    EXPECT_THAT(timing_samples(command_spec({}), measurement.value().processes).processes,
                IsEmpty());
    const auto replayed = read_processes(files, folder / "run");
    EXPECT_TRUE(replayed.ok() && replayed.value().size() == 1);
    if (replayed.ok()) {
      EXPECT_EQ(replayed.value().front().problem, measurement.value().processes.front().problem);
    }
    return measurement.value().processes.front();
  }

  TemporaryFolder folder;
  platform::DiskFileSystem files;
  platform::SystemClock clock;
  platform::Cancellation cancellation;
  platform::SystemProcessRunner runner{clock, cancellation};
  device::NoDevice device{
      Error{.code = ErrorCode::unavailable, .message = "none", .hint = {}, .context = {}}};
  RememberingProgress progress;
};

TEST_F(FailingChild, AnExitCodeComesWithTheLastWords) {
  const ProcessRecord record = failing("fail");
  EXPECT_EQ(record.state, ProcessState::crashed);
  EXPECT_EQ(record.exit_code, 3);
  EXPECT_EQ(record.problem, "the program exited with code 3");
  EXPECT_EQ(record.last_words, "no such model: llama\n");
}

TEST_F(FailingChild, ASegmentationFaultIsNamed) {
  const ProcessRecord record = failing("segv");
  EXPECT_EQ(record.state, ProcessState::crashed);
  // Under a sanitizer the runtime may turn the signal into an exit; the sentence then names the
  // code.
  EXPECT_THAT(record.problem,
              ::testing::AnyOf(HasSubstr("SIGSEGV"), HasSubstr("exited with code")));
}

TEST_F(FailingChild, SigkillPointsAtMemory) {
  EXPECT_THAT(failing("killed").problem, HasSubstr("as the kernel does when memory runs out"));
}

TEST_F(FailingChild, GpuOutOfMemoryIsRecognised) {
  EXPECT_EQ(failing("oom").problem, "the program exited with code 1: it ran out of memory");
}

TEST_F(FailingChild, AHangIsTimedOut) {
  const ProcessRecord record = failing("hang", 0.2);
  EXPECT_EQ(record.state, ProcessState::timed_out);
  EXPECT_EQ(record.problem, "the program did not end within 0.2 s and was stopped");
}

TEST_F(FailingChild, ASilentChildIsNotGreen) {
  const ProcessRecord record = failing("silent");
  EXPECT_EQ(record.state, ProcessState::silent);
  EXPECT_THAT(record.problem, HasSubstr("without a results file"));
  EXPECT_THAT(record.problem, HasSubstr("PERFGATE_RESULTS"));
}

TEST_F(FailingChild, CutNanAndNegativeResultsAreRefused) {
  for (const char* mode : {"cut", "nan", "negative"}) {
    std::filesystem::remove_all(folder / "run");  // one run, one folder
    const ProcessRecord record = failing(mode);
    EXPECT_EQ(record.state, ProcessState::silent) << mode;
    EXPECT_THAT(record.problem, Not(IsEmpty())) << mode;
  }
}

TEST_F(FailingChild, ABlockOfAnotherTimeIsRefused) {
  for (const char* mode : {"early", "late"}) {
    std::filesystem::remove_all(folder / "run");  // one run, one folder
    const ProcessRecord record = failing(mode);
    EXPECT_EQ(record.state, ProcessState::silent) << mode;
    EXPECT_THAT(record.problem, HasSubstr("the block lies outside of the process's life"));
    EXPECT_FALSE(record.results);
  }
}

TEST_F(FailingChild, WhatItLeftRunningIsEndedAndNoted) {
  const auto measurement = run(command_spec({PERFGATE_FAKE_CHILD, "daemon", folder / "pid"}));
  ASSERT_TRUE(measurement.ok());
  EXPECT_EQ(measurement.value().notes,
            std::vector<std::string>{"the program left 2 processes running; they were ended"});
}

TEST_F(FailingChild, FewerStepsThanAskedAreRefused) {
  EXPECT_THAT(failing("few").problem, HasSubstr("the program measured 3 of 5 steps"));
}

TEST_F(FailingChild, AMissingProgramIsAnErrorBeforeAnythingRuns) {
  const auto measurement = run(command_spec({"no-such-program-here"}));
  ASSERT_FALSE(measurement.ok());
  EXPECT_EQ(measurement.error().code, ErrorCode::not_found);
  EXPECT_FALSE(files.exists(folder / "run/processes"));
}

TEST_F(FailingChild, CtrlCIsAnErrorOfItsOwn) {
  cancellation.cancel();
  const auto measurement = run(command_spec({PERFGATE_FAKE_CHILD, "ok"}));
  ASSERT_FALSE(measurement.ok());
  EXPECT_EQ(measurement.error().code, ErrorCode::interrupted);
  const auto kept = read_processes(files, folder / "run");
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(kept.value().front().state, ProcessState::interrupted);
}

TEST_F(FailingChild, AGoodOneIsMeasuredWhateverItPrints) {
  const auto measurement = run(command_spec({PERFGATE_FAKE_CHILD, "chatty"}));
  ASSERT_TRUE(measurement.ok());
  const TimingSamples samples = timing_samples(command_spec({}), measurement.value().processes);
  ASSERT_EQ(samples.processes.size(), 2U);
  EXPECT_EQ(samples.processes[0].step_ms, std::vector<double>(5, 4.25));
  EXPECT_GT(files.read(folder / "run/processes/00-timing/stderr.txt").value().size(), 1'000'000U);
  EXPECT_LE(measurement.value().processes[0].last_words.size(), platform::kTailBytes);
}

TEST_F(FailingChild, StepsOutOfOutputAreKeptForReplay) {
  WorkloadSpec spec = command_spec({PERFGATE_FAKE_CHILD, "json"});
  std::get<CommandRun>(spec.run).results = ResultsSource::json;
  const auto measurement = run(spec);
  ASSERT_TRUE(measurement.ok());
  EXPECT_EQ(timing_samples(spec, measurement.value().processes).processes.size(), 2U);
  const auto replayed = read_processes(files, folder / "run");
  ASSERT_TRUE(replayed.ok());
  EXPECT_EQ(timing_samples(spec, replayed.value()).processes[0].step_ms, std::vector<double>{4.5});
}

TEST_F(FailingChild, APrintedStepThatIsLongerThanTheProcessLivedIsNoStep) {
  WorkloadSpec spec = command_spec({PERFGATE_FAKE_CHILD, "json"});
  std::get<CommandRun>(spec.run).results = ResultsSource::json;
  printed_ms = 400'000.0;
  const auto measurement = run(spec);
  ASSERT_TRUE(measurement.ok());
  EXPECT_EQ(measurement.value().processes.at(0).state, ProcessState::silent);
  EXPECT_THAT(measurement.value().processes.at(0).problem,
              HasSubstr("printed a step of 400 s and lived for 0 s"));
}

TEST_F(FailingChild, OutputWhoseEndWasNotKeptIsNoSourceOfSteps) {
  WorkloadSpec spec = command_spec({PERFGATE_FAKE_CHILD, "flood"});
  std::get<CommandRun>(spec.run).results = ResultsSource::regex;
  const auto measurement = run(spec);
  ASSERT_TRUE(measurement.ok());
  ASSERT_EQ(measurement.value().processes.size(), 1U);
  EXPECT_EQ(measurement.value().processes[0].state, ProcessState::silent);
  EXPECT_THAT(measurement.value().processes[0].problem,
              HasSubstr("printed more than the 8 MiB that are kept"));
}

TEST_F(FailingChild, NonsenseInOutputIsRefusedLikeInAFile) {
  WorkloadSpec spec = command_spec({PERFGATE_FAKE_CHILD, "environment"});
  std::get<CommandRun>(spec.run).results = ResultsSource::regex;
  const auto measurement = run(spec);
  ASSERT_TRUE(measurement.ok());
  ASSERT_EQ(measurement.value().processes.size(), 1U);
  EXPECT_EQ(measurement.value().processes[0].state, ProcessState::silent) << "a step of -1 ms";
  EXPECT_FALSE(measurement.value().processes[0].results.has_value());
}

}  // namespace
}  // namespace perfgate::measure
