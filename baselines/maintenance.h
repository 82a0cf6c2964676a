/// Looking into the store and keeping it small.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "baselines/record.h"
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
  std::vector<std::string> pinned{};  ///< metrics that a pin which counts was set for at this run
  std::vector<std::string> begins{};  ///< metrics whose level begins at it; "" = of all
};

/// Newest first. Empty filters take all.
struct ListFilter {
  std::string workload_name{};
  std::string branch{};
  int most = 100;
};
[[nodiscard]] Result<std::vector<RunSummary>> list_runs(const Store& store,
                                                        const ListFilter& filter = {});

/// A run by its row number ("17") or by the start of its digest (4 digits or more), with or without
/// "store:" in front. Errors: `not_found` (none), `usage` (several begin so, or too short).
[[nodiscard]] Result<std::int64_t> find_reference(const Store& store, const std::string& reference);
/// Error `corrupt` for a damaged run: none of it is shown, pinned or exported.
[[nodiscard]] Result<StoredRun> show_run(const Store& store, std::int64_t run);

/// Deletes the oldest runs of each series (workload by name and digest, environment, branch,
/// source) beyond `keep` newest ones. Pinned runs and those at which a level begins stay. Error
/// `usage` for keep < 1.
struct Pruned {
  std::vector<RunSummary> deleted{};
  int held = 0;  ///< beyond `keep`, and kept all the same
};
[[nodiscard]] Result<Pruned> prune(Store& store, int keep);

/// A run is held if a pin that counts (the newest of its metric) was set at it, or a level begins
/// at it.
enum class HeldRuns { refuse, remove };

/// The pins that count and were set at this run, by metric.
[[nodiscard]] Result<std::vector<Pin>> pins_of(const Store& store, std::int64_t run);

/// Where levels begin at this run: accepted ones, and those that were marked by hand.
[[nodiscard]] Result<std::vector<LevelMark>> marks_of(const Store& store, std::int64_t run);

/// Deletes runs with all their values, all or none of them. What a held run held goes too: its
/// level marks, and its pins as `unpin` does it, whose metrics come back. Errors: `not_found`, and
/// `usage` for a held run.
[[nodiscard]] Result<std::vector<std::string>> remove_runs(Store& store,
                                                           const std::vector<std::int64_t>& runs,
                                                           HeldRuns held);

/// Deletes every pin of the metrics that this run is pinned for, older ones too, so that none comes
/// back; empty `metric`: all of them. Returns the metrics. Error `not_found` if there is none.
[[nodiscard]] Result<std::vector<std::string>> unpin(Store& store, std::int64_t run,
                                                     const std::string& metric);

/// A compact copy for readers (VACUUM INTO), to open in mode `snapshot`. Errors: the target exists,
/// or cannot be written; then no file is left there.
[[nodiscard]] Status write_snapshot(const Store& store, const std::string& target);

}  // namespace perfgate::baselines
