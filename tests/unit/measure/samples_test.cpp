// Which step times count, and what the processes of a run must have in common.
#include "runner/measure/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/measure/agreement.h"
#include "tests/unit/measure/workbench.h"

namespace perfgate::measure {
namespace {

using ::testing::HasSubstr;

/// Steps of 1, 2, 3 and 4 ms, and a block of `block_ms`.
ProcessRecord process_of(double block_ms, int index = 0, ProcessRole role = ProcessRole::timing) {
  ProcessRecord record;
  record.index = index;
  record.role = role;
  ProcessResults results;
  for (int i = 0; i < 4; ++i) results.steps.push_back({.step = i, .ms = i + 1.0});
  results.block_start_ns = 1'000'000'000;
  results.block_end_ns = results.block_start_ns + static_cast<std::int64_t>(block_ms * 1e6);
  results.work = {.tokens = 16.0,
                  .weights_bytes = 1e9,
                  .kv_bytes = std::nullopt,
                  .flops = std::nullopt,
                  .output_hash = "aa"};
  record.results = results;
  return record;
}

std::vector<double> steps_of(const WorkloadSpec& spec, const ProcessRecord& record) {
  const std::vector records{record};
  return timing_samples(spec, records).processes.at(0).step_ms;
}

TEST(HostMarks, ThatSumUpToTheBlockAreStepTimes) {
  const WorkloadSpec spec = command_spec({"serve"});
  for (const double block_ms : {10.0, 10.2, 9.81})
    EXPECT_EQ(steps_of(spec, process_of(block_ms)), (std::vector{1.0, 2.0, 3.0, 4.0})) << block_ms;
}

TEST(HostMarks, ThatDoNotAreReplacedByTheMeanOverTheBlock) {
  const WorkloadSpec spec = command_spec({"serve"});
  EXPECT_EQ(steps_of(spec, process_of(40.0)), std::vector<double>(4, 10.0)) << "launches alone";
  EXPECT_EQ(steps_of(spec, process_of(8.0)), std::vector<double>(4, 2.0));
}

TEST(HostMarks, OfOneProcessAreEnoughToTakeTheMeansOfAll) {
  const WorkloadSpec spec = command_spec({"serve"});
  const std::vector records{process_of(10.1, 0), process_of(10.3, 1)};
  EXPECT_EQ(step_basis(spec, records), StepBasis::block_mean);
  const TimingSamples samples = timing_samples(spec, records);
  EXPECT_EQ(samples.processes[0].step_ms, std::vector<double>(4, 10.1 / 4));
  EXPECT_EQ(samples.processes[1].step_ms, std::vector<double>(4, 10.3 / 4));
}

TEST(HostMarks, MarksOfTheDeviceAndStepsWithoutABlockAreTaken) {
  WorkloadSpec spec = command_spec({"serve"});
  ProcessRecord device = process_of(40.0);
  device.results->boundary = ProcessResults::Boundary::device;
  EXPECT_EQ(block_mean_ms(spec, device), std::nullopt);
  for (const auto source : {ResultsSource::json, ResultsSource::regex, ResultsSource::nvtx}) {
    std::get<CommandRun>(spec.run).results = source;
    EXPECT_EQ(steps_of(spec, process_of(40.0)), (std::vector{1.0, 2.0, 3.0, 4.0}));
  }
}

TEST(HostMarks, OnlyProcessesThatCountAreLookedAt) {
  const WorkloadSpec spec = command_spec({"serve"});
  ProcessRecord repeated = process_of(40.0);
  repeated.repeated = true;
  const std::vector records{process_of(40.0, 0, ProcessRole::control), repeated, process_of(10.0)};
  EXPECT_EQ(step_basis(spec, records), StepBasis::marks);
  repeated.results.reset();
  EXPECT_FALSE(counts_as_sample(repeated));
}

TEST(Arms, AreTakenApartByStageToo) {
  std::vector processes{process_of(10.0, 0), process_of(10.0, 1), process_of(10.0, 2),
                        process_of(10.0, 3, ProcessRole::trace)};
  processes[1].arm = Arm::base;
  processes[2].stage = Stage::confirm;
  const auto indices = [&](Arm arm, std::optional<Stage> stage) {
    std::vector<int> list;
    for (const ProcessRecord& record : of_arm(processes, arm, stage)) list.push_back(record.index);
    return list;
  };
  EXPECT_EQ(indices(Arm::head, {}), (std::vector{0, 2, 3}));
  EXPECT_EQ(indices(Arm::head, Stage::screen), (std::vector{0, 3}));
  EXPECT_EQ(indices(Arm::head, Stage::confirm), std::vector{2});
  EXPECT_EQ(indices(Arm::base, {}), std::vector{1});
}

TEST(Work, ThatDiffersIsNamedWithBothValues) {
  std::vector processes{process_of(10.0, 1), process_of(10.0, 3)};
  EXPECT_EQ(work_disagreement(processes), "");
  processes[1].results->work.tokens = 8.0;
  EXPECT_EQ(work_disagreement(processes),
            "the processes did different work: process 1 reports tokens 16, process 3 8");
  processes[1].results->work.tokens = 16.0;
  processes[1].results->work.flops = 2e11;
  EXPECT_THAT(work_disagreement(processes), HasSubstr("flops nothing, process 3 2e+11"));
}

TEST(Work, OfControlsTracesAndRepeatedProcessesDoesNotCount) {
  std::vector processes{process_of(10.0, 0, ProcessRole::control), process_of(10.0, 1),
                        process_of(10.0, 2), process_of(10.0, 3, ProcessRole::trace)};
  processes[1].results->work.weights_bytes = 2e9;
  processes[1].repeated = true;
  processes[0].results->work = {};
  processes[3].results->work.tokens = 1.0;
  EXPECT_EQ(work_disagreement(processes), "");
}

TEST(Output, OfATracedProcessIsComparedWithAnAgreedOneOverAsManySteps) {
  std::vector processes{process_of(10.0, 1), process_of(10.0, 2)};
  const UntracedOutput agreed = untraced_output(processes);
  EXPECT_EQ(agreed.state, UntracedOutput::State::agreed);
  ProcessRecord traced = process_of(10.0, 3, ProcessRole::trace);
  EXPECT_EQ(check_output(agreed, traced).state, OutputCheck::State::same);
  traced.results->work.output_hash = "bb";
  const OutputCheck other = check_output(agreed, traced);
  EXPECT_EQ(other.state, OutputCheck::State::differs);
  EXPECT_EQ(other.traced, "bb");
  EXPECT_EQ(other.untraced, "aa");
  traced.results->steps.pop_back();
  EXPECT_EQ(check_output(agreed, traced).state, OutputCheck::State::unknown)
      << "a hash covers all measured steps";
  traced = process_of(10.0, 3, ProcessRole::trace);
  traced.results->work.output_hash.clear();
  EXPECT_EQ(check_output(agreed, traced).state, OutputCheck::State::unknown);
}

TEST(Output, ThatDiffersBetweenTimingProcessesIsComparedWithNothing) {
  std::vector processes{process_of(10.0, 1), process_of(10.0, 2)};
  processes[1].results->work.output_hash = "cc";
  const UntracedOutput output = untraced_output(processes);
  EXPECT_EQ(output.state, UntracedOutput::State::differs);
  EXPECT_EQ(check_output(output, process_of(10.0, 3, ProcessRole::trace)).state,
            OutputCheck::State::unknown);
  processes[0].results->work.output_hash.clear();
  processes[1].results->work.output_hash.clear();
  EXPECT_EQ(untraced_output(processes).state, UntracedOutput::State::unknown);
  EXPECT_EQ(untraced_output({}).state, UntracedOutput::State::unknown);
}

}  // namespace
}  // namespace perfgate::measure
