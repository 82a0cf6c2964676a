/// Runs and stores for the tests of this folder.
#pragma once

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "baselines/store.h"
#include "runner/model/run_result.h"

namespace perfgate::baselines {

/// A folder that goes when the test ends.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "perfgate-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline Fingerprint h200() {
  Fingerprint print;
  print.environment = {{"gpu", "NVIDIA H200"}, {"driver", "580.65"}};
  print.subject = {{"cuda", "13.0"}};
  print.instance = {{"gpu_uuid", "GPU-1"}};
  return print;
}

/// The `number`-th run of decode_8b: its commit, time and step time follow from the number.
inline RunResult decode_run(int number, double step_ms = 0.0) {
  RunResult run;
  run.identity.tool_version = "0.1.0";
  run.identity.repo = "org/model";
  run.identity.branch = "main";
  run.identity.commit = "commit" + std::to_string(number);
  run.identity.run_id = "run" + std::to_string(number);
  const std::string day = std::to_string(10 + number % 20);
  const std::string month = std::to_string(10 + number / 20);
  run.identity.started_utc = "2025-" + month + "-" + day + "T00:00:00Z";
  run.workload_name = "decode_8b";
  run.measurement.fingerprint = h200();
  const double ms = step_ms > 0.0 ? step_ms : 4.27 + 0.001 * number;
  MetricValue metric;
  metric.id = "step_time_p50";
  metric.unit = "ms";
  metric.value = ms;
  metric.samples = {ms - 0.001, ms, ms + 0.001};
  run.metrics.push_back(metric);
  run.verdict.outcome = Outcome::pass;
  run.analysis.capture.validity = Validity::valid;
  ProcessRecord process;
  process.results.emplace();
  process.results->steps = {{0, ms}, {1, ms * 1.01}};
  run.measurement.processes.push_back(process);
  return run;
}

inline const std::string kDecodeDigest = "decode-digest";

/// Opens for recording or fails the test.
inline Store recording(const std::string& path, const StoreOptions& options = {}) {
  auto store = Store::open(path, OpenMode::record, options);
  if (!store.ok()) {
    ADD_FAILURE() << store.error().message << " " << store.error().context;
    std::abort();
  }
  return std::move(store).value();
}

}  // namespace perfgate::baselines
