/// Looking into the store and keeping it small.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "baselines/store.h"
#include "baselines/stored_run.h"
#include "runner/model/result.h"

namespace perfgate::baselines {

/// One line of `baseline list`.
struct RunSummary {
  std::int64_t run = 0;
  std::string digest;
  std::string workload_name;
  std::string workload_digest;
  std::string environment_key;
  std::string branch;
  std::string commit;
  std::string started_utc;
  std::string source;
  std::string outcome;
  std::string instance;
};

/// Newest first. Empty filters take all.
struct ListFilter {
  std::string workload_name{};
  std::string branch{};
  int most = 100;
};
[[nodiscard]] Result<std::vector<RunSummary>> list_runs(const Store& store,
                                                        const ListFilter& filter = {});

/// A run by its row number ("17") or by the start of its digest (4 digits or more), as `store:REF`
/// names it. Errors: `not_found` (none), `usage` (several begin so, or too short).
[[nodiscard]] Result<std::int64_t> find_reference(const Store& store, const std::string& reference);
[[nodiscard]] Result<StoredRun> show_run(const Store& store, std::int64_t run);

/// Deletes the oldest runs of each series (workload, environment, branch, source) beyond `keep`
/// newest ones. Runs at which a level begins stay. Returns the number deleted. Error `usage` for
/// keep < 1.
[[nodiscard]] Result<int> prune(Store& store, int keep);

/// A compact copy for readers (VACUUM INTO), to open in mode `snapshot`. Errors: the target exists,
/// or cannot be written; then no file is left there.
[[nodiscard]] Status write_snapshot(const Store& store, const std::string& target);

}  // namespace perfgate::baselines
