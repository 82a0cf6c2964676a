/// Inside this folder only: one drill trial to a row or a line of an export, and back. The rows
/// throw SQLite::Exception, the JSON nlohmann's; callers use `guarded` and the importer's guard.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <nlohmann/json.hpp>

#include "baselines/drills.h"

namespace perfgate::baselines {

/// What `drill_of_row` takes a row of, in its order. `corrupt` for words that nobody knows.
inline constexpr const char* kDrillColumns =
    "workload_name, workload_digest, environment_key, measure_version, instance, drill_utc, run, "
    "place, seed, commit_id, planted, size_ratio, size_us, step_ms, outcome, change_ratio, "
    "finds_from_ratio, processes, seconds";
[[nodiscard]] Result<DrillTrial> drill_of_row(SQLite::Statement& row);
/// Unless it is there.
void insert_drill(SQLite::Database& database, const DrillTrial& trial);

[[nodiscard]] nlohmann::json drill_json(const DrillTrial& trial);
[[nodiscard]] Result<DrillTrial> drill_from_json(const nlohmann::json& json);

}  // namespace perfgate::baselines
