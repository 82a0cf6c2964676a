/// Inside this folder only: one run to rows and back. These throw SQLite::Exception; callers use
/// `guarded`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <SQLiteCpp/SQLiteCpp.h>

#include "baselines/noise_runs.h"
#include "baselines/record.h"
#include "baselines/stored_run.h"

namespace perfgate::baselines {

/// Inserts unless its digest is there; to a run that is there without its work, that is added. The
/// caller owns the transaction.
[[nodiscard]] RecordOutcome insert_run(SQLite::Database& database, const StoredRun& run);
void insert_pin(SQLite::Database& database, const Pin& pin);
void insert_mark(SQLite::Database& database, std::int64_t first_run, const LevelMark& mark);
void insert_calibration(SQLite::Database& database, const Calibration& calibration);
void insert_noise(SQLite::Database& database, const NoisePoint& point);

/// What `noise_point_of` takes a row of, in its order. `corrupt` for words that nobody knows.
inline constexpr const char* kNoiseColumns =
    "workload_digest, environment_key, metric, measure_version, instance, occasion_utc, run, "
    "commit_id, kind, unit, value, samples";
[[nodiscard]] Result<NoisePoint> noise_point_of(SQLite::Statement& row);

[[nodiscard]] std::optional<std::int64_t> find_run(SQLite::Database& database,
                                                   const std::string& digest);
/// The run as it was recorded: its digest, and what the index columns say of it, are formed again.
/// `path`: of the store, for the message. Errors: `not_found`; `corrupt` for a damaged run.
[[nodiscard]] Result<StoredRun> read_run(SQLite::Database& database, const std::string& path,
                                         std::int64_t run);
/// Five columns from `first` on: tokens, weights_bytes, kv_bytes, flops, output_hash.
[[nodiscard]] WorkDone read_work(SQLite::Statement& row, int first);
[[nodiscard]] Fingerprint read_fingerprint(SQLite::Database& database, std::int64_t run);

}  // namespace perfgate::baselines
