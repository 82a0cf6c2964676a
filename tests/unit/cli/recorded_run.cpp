#include "tests/unit/cli/recorded_run.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "baselines/exchange.h"
#include "baselines/record.h"
#include "baselines/store.h"
#include "reporters/render/result_json.h"
#include "runner/measure/run_folder.h"
#include "runner/results/results_file.h"
#include "tests/support/synthetic_capture.h"
#include "workloads/spec/workload_file.h"

namespace perfgate::cli {
namespace {

using perfgate::testing::synthetic_capture;
using platform::join_path;

constexpr int kTimingProcesses = 5;
constexpr int kTracedProcesses = 3;
constexpr int kSteps = 50;
constexpr int kBaselineRuns = 10;

void expect_done(const Status& status) {
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
}

/// The synthetic loop's own period, so that tracing changes nothing in it.
double synthetic_step_ms() {
  const Capture capture = synthetic_capture();
  const auto& ranges = capture.ranges;
  const auto span_ns = ranges.back().start_ns - ranges.front().start_ns;
  return static_cast<double>(span_ns) / static_cast<double>(ranges.size() - 1) * 1e-6;
}

ProcessResults results_of(double step_ms, int process) {
  ProcessResults results;
  results.block_start_ns = 1'760'000'000'000'000'000 + process * 1'000'000'000LL;
  double sum_ms = 0.0;
  for (int step = 0; step < kSteps; ++step) {
    // A few hundredths of a per cent between steps and between processes, as on a quiet GPU.
    const double wobble = 1.0 + 2e-4 * ((step * 7 + process * 3) % 5 - 2);
    results.steps.push_back({step, step_ms * wobble});
    sum_ms += step_ms * wobble;
  }
  results.block_end_ns = results.block_start_ns + static_cast<std::int64_t>(sum_ms * 1e6);
  return results;
}

Fingerprint fingerprint_of(const std::string& gpu) {
  Fingerprint print;
  print.environment = {{"gpu", gpu}, {"driver", "580.65"}, {"measure_version", "1"}};
  print.subject = {{"program", "0123456789abcdef"}};
  print.instance = {{"gpu_uuid", "GPU-00000000-0000-0000-0000-000000000000"}};
  return print;
}

void write_process(platform::FileSystem& files, const std::string& folder, ProcessRecord& record,
                   const RecordedRunOptions& options) {
  const bool traced = record.role == ProcessRole::trace;
  const auto paths = measure::process_paths(folder, record.index, record.role);
  expect_done(measure::make_process_folders(files, paths, traced));
  record.results = results_of(synthetic_step_ms() * options.slower_ratio, record.index);
  if (options.change) options.change(record);
  expect_done(files.write(paths.results, results::write_results(*record.results)));
  if (traced) {
    auto bytes = perfgate::testing::synthetic_capture_file(
        synthetic_capture({.seed = static_cast<std::uint64_t>(record.index)}));
    if (options.cut_capture_to > 0 && record.index == kTimingProcesses)
      bytes.resize(options.cut_capture_to);
    expect_done(files.write(paths.captures + "/4242-1.pgcap",
                            {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
    record.capture_files = measure::list_captures(files, folder, record.index);
  }
  expect_done(measure::write_record(files, folder, record));
}

}  // namespace

WorkloadSpec recorded_workload() {
  auto spec = workloads::parse_workload(kRecordedWorkload, "synthetic.yaml");
  EXPECT_TRUE(spec.ok()) << spec.error().context;
  return std::move(spec).value();
}

void write_recorded_run(const std::string& folder, const RecordedRunOptions& options) {
  platform::DiskFileSystem files;
  RunResult result;
  result.identity = {.tool_version = "0.1.0",
                     .repo = "org/model",
                     .branch = "topic",
                     .commit = "feed",
                     .run_id = "99",
                     .started_utc = "2026-11-01T00:00:00Z"};
  result.workload_name = "synthetic";
  result.measurement.fingerprint = fingerprint_of(options.gpu);
  for (int i = 0; i < kTimingProcesses + kTracedProcesses; ++i) {
    ProcessRecord record;
    record.index = i;
    record.role = i < kTimingProcesses ? ProcessRole::timing : ProcessRole::trace;
    write_process(files, folder, record, options);
    result.measurement.processes.push_back(std::move(record));
  }
  expect_done(files.write(join_path(folder, "workload.yaml"), kRecordedWorkload));
  expect_done(files.write(join_path(folder, "result.json"), render::to_result_json(result)));
}

void write_baseline(const std::string& path, const RunResult& run) {
  auto store = baselines::Store::open(path + ".db", baselines::OpenMode::record);
  ASSERT_TRUE(store.ok()) << store.error().message;
  const WorkloadSpec spec = recorded_workload();
  for (int i = 0; i < kBaselineRuns; ++i) {
    RunResult point = run;
    point.source = RunSource::measured;
    point.verdict.outcome = Outcome::pass;
    point.identity.branch = "main";
    point.identity.commit = "base" + std::to_string(i);
    point.identity.run_id = std::to_string(i);
    point.identity.started_utc = "2026-10-1" + std::to_string(i) + "T00:00:00Z";
    for (MetricValue& metric : point.metrics) {
      if (metric.kind == MetricKind::counted) continue;
      const double drift = 1.0 + 2e-4 * (i % 3 - 1);
      metric.value *= drift;
      for (double& sample : metric.samples) sample *= drift;
    }
    const auto recorded = baselines::record(store.value(), point, spec.workload_digest);
    ASSERT_TRUE(recorded.ok()) << recorded.error().message;
  }
  std::string lines;
  expect_done(baselines::export_lines(store.value(), [&](std::string_view line) {
    lines.append(line).append("\n");
    return Status();
  }));
  platform::DiskFileSystem files;
  expect_done(files.write(path, lines));
}

RunRequest Replay::request(const std::string& name) const {
  RunRequest request;
  request.spec = recorded_workload();
  request.run_folder = join_path(folder_, name);
  request.store = join_path(folder_, "store.db");
  request.branch = "main";
  return request;
}

Result<Assessed> Replay::operator()(const std::string& recording, const std::string& name) {
  return (*this)(recording, request(name));
}

Result<Assessed> Replay::operator()(const std::string& recording, const RunRequest& asked) {
  PG_TRY(files_.make_folders(asked.run_folder));
  return run_replayed(asked, recording, {clock_, files_, environment_, cancellation_});
}

}  // namespace perfgate::cli
