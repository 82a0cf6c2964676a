/// Which runs of the store are the baseline of a run, and their values.
///
/// Selected are runs of the same workload (name and digest), environment and measuring version, on
/// the branch, and, with an ancestry, of those commits; measured ones only unless the store is a
/// replay's own; since the last level mark; the newest `max_runs`. A run never is its own baseline
/// (`exclude_digest`). With an ancestry, "since" and "newest" are places on that line, not dates,
/// and marks and pins that were set at a run of another commit do not count; the pin of a run that
/// is gone does.
///
/// Nothing damaged is judged against or left out in silence: each selected run is formed again and
/// must give the digest that it was recorded under (the series hold those very values), and so must
/// the newest `max_runs` of the workload's name, which a damaged key may hide; a pin must be the
/// level of its run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "baselines/store.h"
#include "runner/model/comparison.h"
#include "runner/model/fingerprint.h"
#include "runner/model/result.h"
#include "runner/model/run_result.h"
#include "runner/model/work.h"

namespace perfgate::baselines {

struct SelectionQuery {
  std::string workload_name{};
  std::string workload_digest{};
  std::string branch{};       ///< of the baseline; empty = any
  Fingerprint fingerprint{};  ///< of the run to be judged
  int measure_version = kMeasureVersion;
  std::vector<std::string> ancestry{};  ///< first-parent line, nearest first; empty = not known
  bool ancestry_is_cut = false;         ///< the line goes on: what is not in it may be an ancestor
  bool replay_store = false;            ///< replayed and imported runs serve too
  std::vector<std::string> metrics{};   ///< empty = all
  int max_runs = 30;
  std::string exclude_digest{};  ///< run_digest of the run to be judged
  /// For a report over a history: the runs before a level mark too, and `Selection::marks`. No
  /// baseline of a run.
  bool across_levels = false;
};

/// The pin that counts of one series (`BaselineSeries::pinned`).
struct SelectedPin {
  std::string metric{};
  std::string unit{};
  std::int64_t run = 0;        ///< whose level it is; 0 = gone
  std::string commit{};        ///< of that run; empty = unknown
  std::string recorded_utc{};  ///< of that run; empty = unknown
  std::string set_utc{};
  std::string reason{};
};

/// A level that begins at one of the selected runs.
struct SelectedMark {
  std::int64_t first_run = 0;
  std::string metric{};  ///< empty = all
  std::string reason{};
};

struct Selection {
  /// `exists` false with rows in `comparability.environment`: only another environment, workload or
  /// measuring version was recorded; the rows say against the newest such run what differs.
  BaselineChoice choice;
  /// By metric name, kind and unit; points oldest first. A calibrated one has the A/A runs too.
  std::vector<BaselineSeries> series;
  Fingerprint newest;                          ///< of the newest selected run
  std::optional<double> traced_over_untraced;  ///< of the newest selected run
  std::vector<BaselineWork> work{};   ///< of the selected runs that say something, newest first
  std::vector<SelectedPin> pins{};    ///< one a series at most
  std::vector<SelectedMark> marks{};  ///< with `across_levels` only; oldest first
  /// The branch has runs of other workloads and none of this one: a new workload, where a store
  /// without any run is one that was lost, or was never filled.
  bool others_only = false;
};

/// Errors: those of the store; `corrupt` names a damaged run or pin and how to be rid of it.
[[nodiscard]] Result<Selection> select(const Store& store, const SelectionQuery& query);

}  // namespace perfgate::baselines
