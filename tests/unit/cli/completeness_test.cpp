// A recording that lost a part, or was put together, is not judged.
#include "runner/cli/run/completeness.h"

#include <filesystem>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/cli/result_input.h"
#include "runner/cli/run/recording.h"
#include "tests/unit/cli/recorded_run.h"

namespace perfgate::cli {
namespace {

namespace fs = std::filesystem;

using perfgate::testing::TemporaryFolder;
using ::testing::HasSubstr;

/// Five timing and three traced processes, as the workload asks.
class ARecording : public ::testing::Test {
 protected:
  void SetUp() override {
    write_recorded_run(recording, {});
    auto result = read_run_folder(replay.files(), recording);
    ASSERT_TRUE(result.ok()) << result.error().message;
    measurement = result.value().measurement;
    for (ProcessRecord& process : measurement.processes) sample(process);
  }
  static void sample(ProcessRecord& process) {
    process.before = process.after = DeviceSample{};
    process.before->thermal_slowdown_us = process.after->thermal_slowdown_us = 7;
    process.before->power_brake_us = process.after->power_brake_us = 7;
    process.before->other_processes = process.after->other_processes = 0;
  }
  std::string missing(const WorkloadSpec& spec) {
    const auto found = missing_part(spec, measurement, recording, replay.files());
    EXPECT_TRUE(found.ok()) << found.error().message;
    return found.ok() ? found.value() : std::string();
  }
  std::string missing() { return missing(recorded_workload()); }
  ProcessRecord& at(std::size_t index) { return measurement.processes.at(index); }
  void renumber() {
    for (std::size_t i = 0; i < measurement.processes.size(); ++i)
      at(i).index = static_cast<int>(i);
  }

  TemporaryFolder folder;
  Replay replay{folder.path()};
  std::string recording = folder / "candidate";
  Measurement measurement;
};

TEST_F(ARecording, ThatIsWholeLacksNothing) { EXPECT_EQ(missing(), ""); }

TEST_F(ARecording, EndsAtAnyLook) {
  WorkloadSpec spec = recorded_workload();
  spec.timing.processes = {3, 5, 8};
  spec.trace.processes = {3, 5};
  EXPECT_EQ(missing(spec), "");
  spec.timing.processes = {3, 8};
  EXPECT_EQ(missing(spec), "it has 5 timing processes, and its workload.yaml asks for 3 or 8");
  spec.timing.processes = {5};
  spec.trace.processes = {4, 5, 6};
  EXPECT_EQ(missing(spec), "it has 3 traced processes, and its workload.yaml asks for 4, 5 or 6");
}

TEST_F(ARecording, WithoutAProcessOfTheSequenceNamesIt) {
  measurement.processes.erase(measurement.processes.begin() + 2);
  EXPECT_EQ(missing(), "process 2 is missing");
  renumber();
  EXPECT_THAT(missing(), HasSubstr("4 timing processes"));
}

TEST_F(ARecording, WithoutItsTracesIsCompleteOnlyWhereNoneAreWanted) {
  measurement.processes.resize(5);
  EXPECT_THAT(missing(), HasSubstr("0 traced processes"));
  measurement.fingerprint.environment["gpu"] = "none";
  EXPECT_THAT(missing(), HasSubstr("0 traced processes")) << "kernel_launches is gated";
  WorkloadSpec spec = recorded_workload();
  spec.gates.pop_back();
  EXPECT_EQ(missing(spec), "");
}

TEST_F(ARecording, OfFewerStepsThanAskedIsNotComplete) {
  at(3).results->steps.pop_back();
  EXPECT_EQ(missing(), "process 3 (timing) has 49 steps, and the workload.yaml asks for 50");
  WorkloadSpec spec = recorded_workload();
  std::get<CommandRun>(spec.run).results = ResultsSource::nvtx;
  EXPECT_EQ(missing(spec), "") << "the last range has no next start";
  at(3).results->steps.resize(1);
  std::get<CommandRun>(spec.run).results = ResultsSource::json;
  EXPECT_EQ(missing(spec), "") << "one number is the mean of all";
}

TEST_F(ARecording, ARepeatNeedsItsDisturbanceAndItsReplacement) {
  WorkloadSpec spec = recorded_workload();
  spec.timing.processes = {4, 5};
  at(1).repeated = true;
  EXPECT_EQ(missing(spec), "process 1 (timing) is marked as repeated, and nothing disturbed it");
  at(1).after->thermal_slowdown_us = 9;
  EXPECT_EQ(missing(spec), "");
  at(1).repeated = false;
  at(4).repeated = true;
  at(4).after->thermal_slowdown_us = 9;
  EXPECT_THAT(missing(spec), HasSubstr("process 4 (timing) is marked as repeated, and no other"));
}

TEST_F(ARecording, OneProcessWithoutSamplesAmongOthersIsNotComplete) {
  at(6).before.reset();
  at(6).after.reset();
  EXPECT_EQ(missing(), "process 6 (trace) has no device.jsonl, and others have one");
  for (ProcessRecord& process : measurement.processes) process.before = process.after = {};
  EXPECT_EQ(missing(), "") << "no GPU was there to ask";
}

TEST_F(ARecording, TheResultsOrTheCaptureOfAnotherProcessAreACopy) {
  fs::copy_file(recording + "/" + at(5).capture_files.front(),
                recording + "/" + at(7).capture_files.front(),
                fs::copy_options::overwrite_existing);
  EXPECT_EQ(missing(),
            "process 5 (trace) and process 7 (trace) have the same capture: one is a copy of the "
            "other's");
  at(4).results = at(0).results;
  EXPECT_EQ(missing(),
            "process 0 (timing) and process 4 (timing) have the same results: one is a copy of "
            "the other's");
}

TEST_F(ARecording, ThatEndedWithAFailureIsJudgedByIt) {
  measurement.processes.resize(3);
  at(2).state = ProcessState::crashed;
  EXPECT_EQ(missing(), "");
}

/// On disk: the last traced process is gone from the folder and from its result.json.
class CutRecording : public ARecording {
 protected:
  void SetUp() override {
    ARecording::SetUp();
    auto whole = replay(recording, "whole");
    ASSERT_TRUE(whole.ok()) << whole.error().message;
    RunResult head = whole.value().result;
    head.source = RunSource::measured;
    fs::remove_all(recording + "/processes/07-trace");
    head.measurement.processes.pop_back();
    ASSERT_TRUE(write_reports(request, head, replay.files()).ok());
  }
  RunRequest request = [this] {
    RunRequest whole = replay.request("x");
    whole.run_folder = recording;
    return whole;
  }();
};

TEST_F(CutRecording, IsReplayedAsInvalid) {
  const auto assessed = replay(recording, "judged");
  ASSERT_TRUE(assessed.ok()) << assessed.error().message;
  const Verdict& verdict = assessed.value().result.verdict;
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_THAT(verdict.reasons.front().text,
              HasSubstr("the recording is not complete: it has 2 traced processes"));
  ASSERT_TRUE(verdict.problem.has_value());
  EXPECT_EQ(verdict.problem->code, ProblemCode::recording_incomplete);
  EXPECT_THAT(verdict.problem->detail, ::testing::StartsWith("it has 2 traced processes"));
}

TEST_F(CutRecording, IsNeitherRecordedNorBelieved) {
  const auto recorded = record_folder(folder / "s.db", recording, replay.files(), {});
  ASSERT_FALSE(recorded.ok());
  EXPECT_THAT(recorded.error().message, HasSubstr("it is not complete: it has 2 traced"));
  const auto judged = read_judged_result(replay.files(), recording);
  ASSERT_FALSE(judged.ok());
  EXPECT_EQ(judged.error().code, ErrorCode::invalid_measurement);
  EXPECT_THAT(judged.error().message, HasSubstr("is not complete: it has 2 traced processes"));
}

}  // namespace
}  // namespace perfgate::cli
