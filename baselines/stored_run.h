/// One run as the store keeps it, and its identity. Pure data and pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/fingerprint.h"
#include "runner/model/metric.h"
#include "runner/model/result.h"
#include "runner/model/run_result.h"
#include "runner/model/work.h"

namespace perfgate::baselines {

struct StoredCapture {
  int process = 0;
  std::string path;    ///< relative to the run folder
  std::string digest;  ///< of the file beside the store; empty = not kept
};

struct StoredRun {
  RunIdentity identity;
  RunSource source = RunSource::measured;
  std::string workload_name;
  std::string workload_digest;
  Fingerprint fingerprint;
  std::vector<MetricValue> metrics;                    ///< controls included, as "control/NAME"
  std::map<int, std::vector<double>> process_step_ms;  ///< raw, untraced processes only
  std::vector<StoredCapture> captures;
  /// Of one step; without a hash where the untraced processes gave several outputs. Empty in runs
  /// that were recorded before the store kept it.
  WorkDone work{};
  std::string capture_validity;
  std::optional<double> traced_over_untraced;  ///< median over the traced processes
  std::string outcome;                         ///< verdict when stored; not part of the identity
};

/// What of a result is kept. Errors (`invalid_measurement`): the verdict is invalid, there is no
/// metric, a number is NaN, infinite or negative, a metric appears twice, a name is empty, a text
/// is not UTF-8. `capture_digests`: digest by capture file name, where the files were kept.
[[nodiscard]] Result<StoredRun> stored_run_of(
    const RunResult& result, const std::string& workload_digest,
    const std::map<std::string, std::string>& capture_digests = {});

/// The checks of `stored_run_of` on a run from elsewhere.
[[nodiscard]] Status check_stored_run(const StoredRun& run);

/// SHA-256 over everything that was measured and where; equal for the same result however often it
/// is judged, since the outcome is left out. So is the work, which older stores did
/// not keep: `work_digest` covers it.
[[nodiscard]] std::string run_digest(const StoredRun& run);
/// Over the run and its work; empty for a run that says nothing of its work.
[[nodiscard]] std::string work_digest(const StoredRun& run);
/// The digest that `record` will store this result under; for leaving a run out of its own
/// baseline.
[[nodiscard]] Result<std::string> run_digest(const RunResult& result,
                                             const std::string& workload_digest);

/// Equal for runs whose environment fields are equal; the store's index.
[[nodiscard]] std::string environment_key(const Fingerprint& fingerprint);
/// The instance as one text: the GPU's UUID, or all fields of several; empty = unknown.
[[nodiscard]] std::string instance_of(const Fingerprint& fingerprint);

/// One JSON object on one line, and back. Errors (`corrupt`): not that.
[[nodiscard]] std::string to_json_line(const StoredRun& run);
[[nodiscard]] Result<StoredRun> stored_run_from_json(std::string_view line);

}  // namespace perfgate::baselines
