// A run folder is believed only as a whole: what it says must be what its processes measured.
#include <algorithm>
#include <filesystem>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reporters/render/result_json.h"
#include "runner/analysis/families.h"
#include "runner/cli/result_input.h"
#include "runner/cli/version.h"
#include "runner/cli/workload_input.h"
#include "runner/measure/run_folder.h"
#include "runner/results/results_file.h"
#include "tests/unit/cli/recorded_run.h"

namespace perfgate::cli {
namespace {

namespace fs = std::filesystem;

using perfgate::testing::TemporaryFolder;
using ::testing::HasSubstr;

/// A copy of the smallest recorded run, which passed.
class JudgedFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::copy("workloads/recordings/tiny/candidate", run, fs::copy_options::recursive);
    for (const auto& entry : fs::recursive_directory_iterator(run))
      fs::permissions(entry, fs::perms::owner_write, fs::perm_options::add);
  }
  void edit(const std::function<void(RunResult&)>& change) {
    auto result = read_result(replay.files(), run);
    ASSERT_TRUE(result.ok()) << result.error().message;
    change(result.value());
    write(result.value());
  }
  void write(const RunResult& result) {
    ASSERT_TRUE(replay.files().write(run + "/result.json", render::to_result_json(result)).ok());
  }
  /// As if every step had taken so much of its time.
  void scale_processes(double ratio) {
    auto result = read_run_folder(replay.files(), run);
    ASSERT_TRUE(result.ok()) << result.error().message;
    for (const ProcessRecord& process : result.value().measurement.processes) {
      if (process.role != ProcessRole::timing) continue;
      ProcessResults results = *process.results;
      for (StepSample& step : results.steps) step.ms *= ratio;
      const double block = static_cast<double>(results.block_end_ns - results.block_start_ns);
      results.block_end_ns = results.block_start_ns + static_cast<std::int64_t>(block * ratio);
      const auto paths = measure::process_paths(run, process.index, process.role);
      ASSERT_TRUE(replay.files().write(paths.results, results::write_results(results)).ok());
    }
  }
  void refused(ErrorCode code, const std::string& why) {
    const auto judged = read_judged_result(replay.files(), run);
    ASSERT_FALSE(judged.ok());
    EXPECT_EQ(judged.error().code, code);
    EXPECT_THAT(judged.error().message, HasSubstr(why));
  }
  Result<Assessed> replayed() {
    RunRequest request = replay.request("again");
    auto spec = read_workload(replay.files(), run + "/workload.yaml");
    EXPECT_TRUE(spec.ok());
    request.spec = std::move(spec).value();
    return replay(run, request);
  }

  TemporaryFolder folder;
  Replay replay{folder.path()};
  std::string run = folder / "run";
};

TEST_F(JudgedFolder, IsBelievedAsItWasMeasured) {
  EXPECT_TRUE(read_judged_result(replay.files(), run).ok());
  edit([](RunResult&) {});
  EXPECT_TRUE(read_judged_result(replay.files(), run).ok());
  EXPECT_TRUE(replayed().ok());
}

TEST_F(JudgedFolder, IsNotBelievedWhereItsProcessesSayOtherTimes) {
  scale_processes(0.8);
  refused(ErrorCode::corrupt, "its processes say another step_time_p50 than its result.json");
  const auto again = replayed();
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, ErrorCode::corrupt);
  EXPECT_THAT(again.error().message, HasSubstr("its processes say another step_time_p50"));
}

TEST_F(JudgedFolder, IsNotBelievedWhereItsResultAloneSaysOtherTimes) {
  edit([](RunResult& result) {
    for (MetricValue& metric : result.metrics) {
      if (metric.kind != MetricKind::timed) continue;
      metric.value *= 0.8;
      for (double& sample : metric.samples) sample *= 0.8;
    }
    for (Comparison& row : result.comparisons) {
      if (row.kind == MetricKind::timed) row.head *= 0.8;
    }
  });
  refused(ErrorCode::corrupt, "its processes say another step_time_p50 than its result.json");
}

/// Of the first metric of a kind that no gate asks for, wherever the result says it.
void scale_metric(RunResult& result, MetricKind kind, double ratio) {
  const auto metric = std::ranges::find_if(result.metrics, [&](const MetricValue& each) {
    const auto row = std::ranges::find(result.comparisons, each.id, &Comparison::metric);
    return each.kind == kind && each.value > 0.0 && row == result.comparisons.end();
  });
  ASSERT_NE(metric, result.metrics.end());
  metric->value *= ratio;
  for (double& sample : metric->samples) sample *= ratio;
  for (Observation& row : result.observed) {
    if (row.metric == metric->id) row.head *= ratio;
  }
}

TEST_F(JudgedFolder, IsNotBelievedWhereItsCapturesSayOtherTimesOrCounts) {
  const auto original = read_result(replay.files(), run);
  ASSERT_TRUE(original.ok());
  for (const MetricKind kind : {MetricKind::counted, MetricKind::traced}) {
    RunResult edited = original.value();
    edited.identity.tool_version = kVersion;
    edited.analysis.rules_hash = analysis::Classifier::create({}).value().rules_hash();
    edited.ledger.reset();  // which would say it as well
    edited.diagnosis.clear();
    scale_metric(edited, kind, 2.0);
    write(edited);
    refused(ErrorCode::corrupt, "its captures say another ");
    edited.identity.tool_version = "0.0.1";
    write(edited);
    EXPECT_TRUE(read_judged_result(replay.files(), run).ok())
        << "another perfgate may have told the same records otherwise";
  }
}

TEST_F(JudgedFolder, IsNotBelievedWhereItsLedgerContradictsItsRows) {
  edit([](RunResult& result) {
    Ledger& ledger = result.ledger.emplace();
    ledger.step = {.base = 1.0, .head = 2.0};
    ledger.rows = {{.part = LedgerPart::family, .name = "gemm", .ms = {.base = 1.0, .head = 2.0}}};
  });
  refused(ErrorCode::corrupt, "contradicts itself: its ledger ");
}

TEST_F(JudgedFolder, IsNotCompleteWithoutItsWorkloadFileOrItsProcesses) {
  fs::rename(run + "/workload.yaml", folder / "workload.yaml");
  fs::remove_all(run + "/processes/01-timing");
  refused(ErrorCode::invalid_measurement, "it has no workload.yaml");
  fs::rename(folder / "workload.yaml", run + "/workload.yaml");
  fs::remove_all(run + "/processes");
  refused(ErrorCode::invalid_measurement, "it has no processes");
  EXPECT_TRUE(read_judged_result(replay.files(), run + "/result.json").ok())
      << "a lone result.json claims nothing beside it";
}

TEST_F(JudgedFolder, ThatCallsItselfReplayedHasNoProcesses) {
  edit([](RunResult& result) { result.source = RunSource::replayed; });
  fs::remove_all(run + "/processes/01-timing");
  refused(ErrorCode::corrupt, "says replayed, and it has processes of its own");
  fs::remove_all(run + "/processes");
  refused(ErrorCode::corrupt, "says replayed, and it has captures of its own");
  fs::remove_all(run + "/captures");
  EXPECT_TRUE(read_judged_result(replay.files(), run).ok());
}

TEST_F(JudgedFolder, JudgesEveryGateOfItsWorkload) {
  edit([](RunResult& result) { result.comparisons.pop_back(); });
  refused(ErrorCode::corrupt, " was not judged");
}

}  // namespace
}  // namespace perfgate::cli
