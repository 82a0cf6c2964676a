/// Inside this folder only: what the store knows of a series beside its runs. Throws
/// SQLite::Exception; callers use `guarded`.
#pragma once

#include <string>

#include <SQLiteCpp/SQLiteCpp.h>

#include "baselines/select.h"
#include "runner/model/result.h"

namespace perfgate::baselines {

/// Adds to the selected series pinned levels and the GPUs that they were set on (and to the
/// selection those pins); calibrated SDs, and the A/A runs that they were formed of, each
/// occasion's in the order of time. `path`: of the store, for messages. Errors (`corrupt`): a pin
/// that is not the level of its run.
[[nodiscard]] Status add_known_levels(SQLite::Database& database, const std::string& path,
                                      const SelectionQuery& query, Selection& selection);

}  // namespace perfgate::baselines
