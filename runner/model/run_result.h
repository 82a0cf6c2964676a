/// Everything one `perfgate run` found: the content of result.json and of every report.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/accept.h"
#include "runner/model/analysis.h"
#include "runner/model/comparison.h"
#include "runner/model/fingerprint.h"
#include "runner/model/ledger.h"
#include "runner/model/metric.h"
#include "runner/model/timing.h"

namespace perfgate {

inline constexpr std::string_view kResultSchema = "perfgate.result/1";
/// Raised only when what is measured changes meaning; runs of different versions are not
/// comparable.
inline constexpr int kMeasureVersion = 1;

enum class RunSource { measured, replayed, imported };
[[nodiscard]] std::string_view to_string(RunSource source);
[[nodiscard]] Result<RunSource> run_source_from_string(std::string_view word);

struct RunIdentity {
  std::string tool_version;
  int measure_version = kMeasureVersion;
  std::string repo;    ///< "org/name" or empty
  std::string branch;  ///< git's own word for what is checked out; empty = not known
  std::string commit;
  std::string run_id;  ///< of the CI run, or the run folder's own id
  int attempt = 1;
  std::string started_utc;  ///< ISO 8601
  /// The series in the store that this run belongs to: the baseline's branch where the commit is of
  /// its line, else `branch`. Empty = `branch` (older results).
  std::string series_branch{};
  bool dirty = false;  ///< tracked files differed from the commit
};

[[nodiscard]] inline const std::string& series_of(const RunIdentity& identity) {
  return identity.series_branch.empty() ? identity.branch : identity.series_branch;
}

/// Series of this prefix hold the level of a control in the store: "control/read_stream".
inline constexpr std::string_view kControlPrefix = "control/";

/// The controls that ran beside the workload: read stream and BF16 GEMM.
struct ControlReading {
  std::string name;              ///< "read_stream", "bf16_gemm"
  std::string unit;              ///< "bytes/s", "flop/s"
  std::vector<double> readings;  ///< in time order
};

/// What entered the analysis: the processes of one run.
struct Measurement {
  std::vector<ProcessRecord> processes;
  std::vector<ControlReading> controls;
  Fingerprint fingerprint;
  std::vector<std::string> notes;  ///< top-ups, repeats after throttling, budget stops
  double wall_s = 0.0;
};

/// The base of `ab` and `run --base`: measured in the same session, its processes are those of
/// `Arm::base` in the Measurement.
struct BaseArm {
  std::string how;  ///< "--base ../main", "--base 'python old.py'"
  std::map<std::string, std::string> subject;
  std::vector<MetricValue> metrics;  ///< over its processes of both stages
};

struct RunResult {
  RunIdentity identity;
  RunSource source = RunSource::measured;
  std::string workload_name;
  std::string workload_description;
  std::string workload_owner;  ///< who is asked; may be empty
  std::string workload_path;   ///< as the user named the file; may be empty
  /// The words that measure this again, for the commands a report proposes: "perfgate", "run",
  /// FILE, "--gpu", "none". Without --record, --replay, --out and --json; empty = unknown.
  std::vector<std::string> command;
  Measurement measurement;
  std::vector<MetricValue> metrics;  ///< of the head
  Analysis analysis;                 ///< of the head
  std::optional<BaseArm> base_arm{};
  BaselineChoice baseline;
  std::vector<Comparison> comparisons;
  std::vector<Observation> observed;  ///< the metrics that no gate asks for
  std::optional<Ledger> ledger{};     ///< against the base or the store; empty = nothing to compare
  std::vector<Diagnosis> diagnosis{};  ///< the most telling first; empty = no cause established
  std::vector<AcceptUse> accepted{};   ///< the lines of perfgate-accepts.yaml on this workload
  Verdict verdict;
  std::string recorded;  ///< "run 7 recorded in .perfgate/perfgate.db"; empty = not stored
  /// Of a replay, the run folder whose processes and captures were judged; empty = its own.
  std::string recording{};
  /// Where this result lies, as a reader names it; empty = not known. Not part of result.json:
  /// folders move.
  std::string folder{};
};

}  // namespace perfgate
