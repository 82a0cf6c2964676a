/// A run folder made by hand for the tests of this room: results files and synthetic captures.
/// Nothing in it was measured.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "runner/cli/run/assess.h"
#include "runner/cli/run/run_request.h"
#include "runner/model/run_result.h"
#include "runner/model/workload_spec.h"
#include "tests/unit/platform/temporary_folder.h"

namespace perfgate::cli {

/// Five untraced processes, three traced ones, gates on time and on a count.
inline constexpr std::string_view kRecordedWorkload =
    "perfgate: 1\n"
    "name: synthetic\n"
    "run:\n"
    "  command: {argv: [./decode]}\n"
    "steps: {range: decode, warmup: 20, measure: 50}\n"
    "timing: {processes: [5]}\n"
    "trace: {processes: [3], steps: 10}\n"
    "gates:\n"
    "  - {metric: step_time_p50}\n"
    "  - {metric: kernel_launches, exact: true}\n";

struct RecordedRunOptions {
  double slower_ratio = 1.0;  ///< of the untraced and the traced step times
  std::string gpu = "NVIDIA H200";
  std::size_t cut_capture_to = 0;  ///< bytes that are left of the first capture; 0 = all
  std::function<void(ProcessRecord&)> change{};  ///< of each process's results, before written
};

[[nodiscard]] WorkloadSpec recorded_workload();

/// Writes the folder with its result.json. Fails the test where it cannot.
void write_recorded_run(const std::string& folder, const RecordedRunOptions& options);

/// baseline.jsonl beside the recording: ten runs like `run`, each a little different.
void write_baseline(const std::string& path, const RunResult& run);

/// Replays recordings below one folder.
class Replay {
 public:
  explicit Replay(const std::string& folder) : folder_(folder) {}
  /// Into a run folder of its own, `name`.
  [[nodiscard]] Result<Assessed> operator()(const std::string& recording, const std::string& name);
  [[nodiscard]] Result<Assessed> operator()(const std::string& recording, const RunRequest& asked);
  [[nodiscard]] platform::DiskFileSystem& files() { return files_; }
  [[nodiscard]] RunRequest request(const std::string& name) const;

 private:
  std::string folder_;
  platform::SystemClock clock_;
  platform::DiskFileSystem files_;
  platform::Environment environment_;
  platform::Cancellation cancellation_;
};

}  // namespace perfgate::cli
