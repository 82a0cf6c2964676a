// From what was measured, whole or in part, to metrics and a verdict; over synthetic captures.
#include "runner/cli/run/assess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/cli/result_input.h"
#include "tests/unit/cli/recorded_run.h"

namespace perfgate::cli {
namespace {

using perfgate::testing::TemporaryFolder;
using ::testing::Contains;
using ::testing::HasSubstr;

class Assessing : public ::testing::Test {
 protected:
  void record(std::function<void(ProcessRecord&)> change) {
    write_recorded_run(recording, {.change = std::move(change)});
    auto read = read_run_folder(files, recording);
    ASSERT_TRUE(read.ok()) << read.error().message;
    measurement = std::move(read).value().measurement;
  }
  AssessInput input() const {
    return {.spec = spec,
            .measurement = measurement,
            .run_folder = recording,
            .identity = {},
            .source = RunSource::measured,
            .baseline = baseline,
            .calibration = std::nullopt};
  }
  RunResult assessed() {
    auto done = assess(input(), files);
    EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().message);
    return done.ok() ? std::move(done).value().result : RunResult{};
  }
  static MetricValue metric(const RunResult& result, const std::string& id) {
    for (const MetricValue& each : result.metrics) {
      if (each.id == id) return each;
    }
    ADD_FAILURE() << "no metric " << id;
    return {};
  }
  /// Ten quiet runs around `level`, five processes each, and one gate on this metric: what is left
  /// undecided is the run's own noise.
  void gate(const std::string& id, MetricKind kind, double level, double margin_ratio) {
    GateSpec gate;
    gate.metric = id;
    gate.margin_ratio = margin_ratio;
    gate.tolerance_ratio = 3 * margin_ratio;
    spec.gates = {gate};
    BaselineSeries series;
    series.metric = id;
    series.kind = kind;
    series.unit = "ms";
    for (int run = 0; run < 10; ++run) {
      const double value = level * (1.0 + 1e-7 * (run % 3));
      series.points.push_back({.run = run,
                               .commit = "c",
                               .recorded_utc = "2026-11-01T00:00:00Z",
                               .instance = "GPU-00000000-0000-0000-0000-000000000000",
                               .samples = std::vector<double>(5, value),
                               .value = value});
    }
    baseline.series = {series};
    baseline.choice.exists = true;
    baseline.traced_over_untraced = 1.0;
  }

  TemporaryFolder folder;
  std::string recording = folder / "candidate";
  platform::DiskFileSystem files;
  WorkloadSpec spec = recorded_workload();
  Measurement measurement;
  baselines::Selection baseline;
};

TEST_F(Assessing, AStepOfFewerTokensThanTheNewestRunMadeIsInvalidUnlessALineAcceptsIt) {
  record([](ProcessRecord& process) { process.results->work.tokens = 8.0; });
  gate("step_time_p50", MetricKind::timed, metric(assessed(), "step_time_p50").value * 2, 0.01);
  baseline.work = {{.run = 10, .commit = "c10", .work = {}}};
  baseline.work.front().work.tokens = 16.0;
  const RunResult half = assessed();
  EXPECT_EQ(half.verdict.outcome, Outcome::invalid);
  EXPECT_EQ(half.verdict.reasons.front().code, "less_work");
  EXPECT_EQ(judge_result(spec, baseline, half).verdict.outcome, Outcome::invalid);

  Accept accept;
  accept.metric = "work/tokens";
  accept.ceiling = 8.0;
  accept.expires = "2027-03-31";
  AssessInput with_line = input();
  with_line.accepts = {&accept, 1};
  with_line.today_utc = "2026-11-30";
  const auto accepted = assess(with_line, files);
  ASSERT_TRUE(accepted.ok());
  EXPECT_EQ(accepted.value().result.verdict.outcome, Outcome::pass);
  ASSERT_EQ(accepted.value().result.accepted.size(), 1U);
  EXPECT_EQ(accepted.value().result.accepted.front().state, AcceptState::used);

  baseline.choice.comparability.environment = {{.key = "gpu", .base = "x", .head = "y"}};
  EXPECT_EQ(assessed().verdict.outcome, Outcome::not_comparable);
}

TEST_F(Assessing, AProgramOnTheGpuDuringHalfOfTheUntracedProcessesMakesTimesNotComparable) {
  const auto with_company = [&](std::uint32_t every) {
    record([every](ProcessRecord& process) {
      const auto index = static_cast<std::uint32_t>(process.index);
      process.after.emplace();
      process.after->other_processes = index % every == 0 ? 1 : 0;
    });
  };
  with_company(1);
  gate("step_time_p50", MetricKind::timed, metric(assessed(), "step_time_p50").value, 0.01);
  const RunResult shared = assessed();
  EXPECT_EQ(shared.verdict.outcome, Outcome::not_comparable);
  EXPECT_THAT(shared.verdict.reasons.front().text, HasSubstr("another program was on the GPU"));
  with_company(100);
  EXPECT_EQ(assessed().verdict.outcome, Outcome::pass) << "a visitor of one process";
}

TEST_F(Assessing, InASessionTheWorkIsComparedWithTheBase) {
  record([](ProcessRecord& process) {
    process.results->work.tokens = process.index % 2 == 0 ? 16.0 : 8.0;
  });
  std::erase_if(measurement.processes, [](const ProcessRecord& process) {
    return process.index == 4 || process.index == 7;  // two of a kind in each arm are left
  });
  for (ProcessRecord& process : measurement.processes)
    process.arm = process.index % 2 == 0 ? Arm::base : Arm::head;
  baseline.work = {{.run = 10, .commit = "c10", .work = {}}};
  baseline.work.front().work.tokens = 8.0;
  const RunResult result = assessed();
  EXPECT_EQ(result.verdict.outcome, Outcome::invalid);
  EXPECT_THAT(
      result.comparisons,
      Contains(::testing::Field(&Comparison::reason, HasSubstr("8 tokens a step, the base 16"))));
}

TEST_F(Assessing, AReportedMetricThatIsUndecidedAsksForMoreTimingProcesses) {
  record([](ProcessRecord& process) {
    const double noise = 1.0 + 0.05 * (process.index % 3 - 1);
    process.results->metrics.push_back(
        {.name = "ttft_ms", .value = 10.0 * noise, .unit = "ms", .better = Better::lower});
  });
  gate("reported/ttft_ms", MetricKind::timed, 10.0, 0.01);
  spec.timing.processes = {5, 8};
  EXPECT_EQ(assessed().comparisons.at(0).outcome, Outcome::inconclusive);
  EXPECT_GT(look_again(input(), ProcessRole::timing, files).processes, 0);
  EXPECT_EQ(look_again(input(), ProcessRole::trace, files).processes, 0);
  spec.timing.processes = {5};
  EXPECT_EQ(look_again(input(), ProcessRole::timing, files).processes, 0) << "the last look";
}

TEST_F(Assessing, ATracedMetricThatIsUndecidedAsksForMoreTracedProcesses) {
  record({});
  const double idle_ms = metric(assessed(), "gpu_idle_ms").value;
  gate("gpu_idle_ms", MetricKind::traced, idle_ms, 1e-5);
  spec.trace.processes = {3, 5};
  ASSERT_EQ(assessed().comparisons.at(0).outcome, Outcome::inconclusive)
      << assessed().comparisons.at(0).reason;
  EXPECT_GT(look_again(input(), ProcessRole::trace, files).processes, 0);
  EXPECT_EQ(look_again(input(), ProcessRole::timing, files).processes, 0);
  gate("gpu_idle_ms", MetricKind::traced, idle_ms, 0.5);
  EXPECT_EQ(assessed().comparisons.at(0).outcome, Outcome::pass);
  EXPECT_EQ(look_again(input(), ProcessRole::trace, files).processes, 0) << "it is decided";
}

TEST_F(Assessing, WithABaseAtHandTheAutomaticMarginIsThatOfOneGpu) {
  record({});
  gate("step_time_p50", MetricKind::timed, metric(assessed(), "step_time_p50").value, 0.1);
  spec.gates[0].margin_ratio.reset();
  spec.gates[0].tolerance_ratio.reset();
  for (BaselinePoint& point : baseline.series[0].points) {
    if (point.run % 2 == 0) continue;
    point.instance = "GPU-another";
    point.value *= 1.01;
  }
  EXPECT_GT(assessed().comparisons.at(0).margin_ratio, 0.01);
  AssessInput with_base = input();
  with_base.base_arm = BaseArm{.how = "another tree", .subject = {}, .metrics = {}};
  const auto done = assess(with_base, files);
  ASSERT_TRUE(done.ok());
  EXPECT_NEAR(done.value().result.comparisons.at(0).margin_ratio, 0.0015, 1e-9);
}

TEST_F(Assessing, TheStoresNewestRunsStayInTheResultForWhoeverReadsItWithoutTheStore) {
  record({});
  gate("step_time_p50", MetricKind::timed, metric(assessed(), "step_time_p50").value, 0.1);
  std::vector<BaselinePoint>& points = baseline.series[0].points;
  const std::vector<BaselinePoint> ten = points;
  points.insert(points.end(), ten.begin(), ten.end());
  BaselinePoint old = ten.front();
  old.value *= 2.0;
  points.insert(points.begin(), 5, old);
  const auto history = [&] { return assessed().comparisons.at(0).history; };
  ASSERT_EQ(history().size(), 20U) << "the newest, oldest first";
  EXPECT_EQ(history().front(), ten.front().value);
  EXPECT_EQ(history().back(), ten.back().value);
  baseline.newest.subject["step_times"] = "block mean";
  EXPECT_TRUE(history().empty()) << "means beside medians";
  baseline.newest.subject.clear();
  baseline.choice.comparability.environment.push_back({.key = "gpu", .base = "a", .head = "b"});
  EXPECT_TRUE(history().empty()) << "of another machine";
}

TEST_F(Assessing, BeforeAnyTraceTheTimesAreJudgedAlready) {
  record([](ProcessRecord& process) {
    ProcessResults& results = *process.results;
    const double noise = 1.0 + 0.02 * (process.index % 3 - 1);
    for (StepSample& step : results.steps) step.ms *= noise;
    const auto block_ns = static_cast<double>(results.block_end_ns - results.block_start_ns);
    results.block_end_ns = results.block_start_ns + static_cast<std::int64_t>(block_ns * noise);
  });
  std::erase_if(measurement.processes,
                [](const ProcessRecord& process) { return process.role == ProcessRole::trace; });
  gate("step_time_p50", MetricKind::timed, metric(assessed(), "step_time_p50").value, 1e-3);
  spec.timing.processes = {5, 8};
  EXPECT_GT(look_again(input(), ProcessRole::timing, files).processes, 0);
}

TEST_F(Assessing, HostMarksThatAreNoStepTimesGiveWayToTheMeanAndANoteSaysSoOnce) {
  record([](ProcessRecord& process) { process.results->block_end_ns += 1'000'000'000; });
  const RunResult result = assessed();
  const auto& first = *measurement.processes[0].results;
  const double mean_ms = static_cast<double>(first.block_end_ns - first.block_start_ns) / 1e6 / 50;
  EXPECT_DOUBLE_EQ(metric(result, "step_time_p50").samples.at(0), mean_ms);
  ASSERT_TRUE(result.measurement.processes[0].summary.has_value());
  EXPECT_DOUBLE_EQ(result.measurement.processes[0].summary->median_ms, mean_ms);
  int notes = 0;
  for (const std::string& note : result.measurement.notes)
    notes += note.find("do not sum up to the block") != std::string::npos ? 1 : 0;
  EXPECT_EQ(notes, 1);
  ASSERT_FALSE(result.analysis.traced.empty());
  const double captured_ms = result.analysis.traced[0].traced_step_ms;
  EXPECT_LT(captured_ms, 0.9 * mean_ms) << "the capture's own periods, not the marks";
  EXPECT_NEAR(result.analysis.traced[0].traced_over_untraced, captured_ms / mean_ms, 1e-9);
  measurement = result.measurement;
  EXPECT_EQ(assessed().measurement.notes, result.measurement.notes) << "a replay adds nothing";
}

TEST_F(Assessing, AMeanIsNotJudgedAgainstABaselineOfMarks) {
  record([](ProcessRecord& process) { process.results->block_end_ns += 1'000'000'000; });
  gate("step_time_p50", MetricKind::timed, metric(assessed(), "step_time_p50").value, 0.5);
  const Comparison row = assessed().comparisons.at(0);
  EXPECT_EQ(row.outcome, Outcome::not_comparable);
  EXPECT_THAT(row.reason, HasSubstr("step_times marks -> block mean"));
}

TEST_F(Assessing, DifferentWorkIsInvalidAndNamesBothValues) {
  record([](ProcessRecord& process) {
    process.results->work.tokens = process.index == 2 ? 8.0 : 16.0;
  });
  gate("step_time_p50", MetricKind::timed, metric(assessed(), "step_time_p50").value, 0.5);
  const Verdict verdict = assessed().verdict;
  EXPECT_EQ(verdict.outcome, Outcome::invalid);
  EXPECT_THAT(verdict.reasons.at(0).text, HasSubstr("process 0 reports tokens 16, process 2 8"));
  ASSERT_TRUE(verdict.problem.has_value());
  EXPECT_EQ(verdict.problem->code, ProblemCode::different_work);
}

TEST_F(Assessing, ATracedProcessWithAnotherOutputIsNotGated) {
  record([](ProcessRecord& process) {
    process.results->work.output_hash = process.index == 6 ? "bb" : "aa";
  });
  const RunResult result = assessed();
  EXPECT_EQ(result.analysis.capture.validity, Validity::invalid);
  EXPECT_THAT(result.analysis.capture.reasons,
              Contains("traced process 6: the traced process gave another output (hash bb, "
                       "untraced aa)"));
  EXPECT_EQ(result.analysis.capture.output.state, OutputCheck::State::differs);
  EXPECT_EQ(result.analysis.capture.output.traced, "bb");
  EXPECT_EQ(result.verdict.outcome, Outcome::invalid);
}

TEST_F(Assessing, OutputThatDiffersBetweenTimingProcessesIsANoteAndNoMore) {
  record([](ProcessRecord& process) {
    process.results->work.output_hash = std::to_string(process.index);
  });
  const RunResult result = assessed();
  EXPECT_EQ(result.analysis.capture.validity, Validity::valid);
  EXPECT_THAT(result.measurement.notes,
              Contains("output differs between processes; it cannot be compared"));
}

}  // namespace
}  // namespace perfgate::cli
