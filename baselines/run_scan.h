/// Inside this folder only: one pass over the rows of all runs. Throws SQLite::Exception; callers
/// use `guarded`.
#pragma once

#include <cstdint>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

#include "baselines/select.h"

namespace perfgate::baselines {

struct RunScan {
  /// That would serve, nearest first where the ancestry is known, else newest first.
  std::vector<std::int64_t> selected{};
  /// The newest of the workload's name, whatever else is said of them; as many as may serve.
  std::vector<std::int64_t> newest_of_name{};
  std::int64_t of_series = 0;  ///< rows of this workload and environment
  std::int64_t of_name = 0;    ///< rows of this workload's name
};

/// A level is bounded where its first run stands on the line of ancestors, that run included; dates
/// count only among runs of one commit. The rows themselves are read, never an index: a damaged one
/// hides runs. (It is faster, too: each run is looked at for its commit, which no index has.)
[[nodiscard]] RunScan scan_runs(SQLite::Database& database, const SelectionQuery& query);

}  // namespace perfgate::baselines
