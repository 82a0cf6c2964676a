/// Writing runs, pins, level marks and calibrations. Each call is one transaction (BEGIN
/// IMMEDIATE): all of it is in the store, or nothing. The store must be open in mode `record`.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "baselines/store.h"
#include "baselines/stored_run.h"
#include "runner/model/result.h"
#include "runner/model/run_result.h"

namespace perfgate::baselines {

struct RecordOutcome {
  std::int64_t run = 0;  ///< store row
  std::string digest;
  bool was_there = false;  ///< the same result had been stored before; nothing was written
};

/// `workload_digest` as in WorkloadSpec. Errors: those of stored_run_of and of the store.
[[nodiscard]] Result<RecordOutcome> record(
    Store& store, const RunResult& result, const std::string& workload_digest,
    const std::map<std::string, std::string>& capture_digests = {});
[[nodiscard]] Result<RecordOutcome> record(Store& store, const StoredRun& run);

/// What a pin, mark or calibration speaks of: one metric of one workload in one environment.
struct SeriesKey {
  std::string workload_digest;
  std::string environment_key;
  std::string metric;
};

/// An accepted level, in the metric's unit. `utc`: ISO 8601, given by the caller's clock. The level
/// stays when its run goes.
struct Pin {
  SeriesKey key;
  double level = 0.0;
  std::string reason;
  std::string utc;
  std::string run{};  ///< digest of the run whose level it is; empty = not known
};

/// A new level begins at the run `first_run` (digest), for one metric or for all ("").
struct LevelMark {
  enum class Kind { change, accept, pin, environment };
  std::string first_run;
  std::string metric;
  Kind kind = Kind::change;
  std::string reason;
  std::string utc;
};

/// Run-to-run SD of the gate's own statistic out of A/A runs, as a ratio (log scale).
struct Calibration {
  SeriesKey key;
  double sd_ratio = 0.0;
  int occasions = 0;
  std::string utc;
};

/// Error `usage` for a level that is not a finite number above zero, or a text that is not given.
[[nodiscard]] Status check(const Pin& pin);
/// Error `usage` for an SD that is not between 0 and 1, or fewer than three occasions.
[[nodiscard]] Status check(const Calibration& calibration);

/// The same one twice is one. Errors: those of `check`; `usage` for a mark without its texts,
/// `not_found` for one at an unknown run.
[[nodiscard]] Status pin(Store& store, const Pin& pin);
[[nodiscard]] Status mark_level(Store& store, const LevelMark& mark);
[[nodiscard]] Status calibrate(Store& store, const Calibration& calibration);

[[nodiscard]] std::string_view to_string(LevelMark::Kind kind);
[[nodiscard]] Result<LevelMark::Kind> level_mark_kind_from_string(std::string_view word);

}  // namespace perfgate::baselines
