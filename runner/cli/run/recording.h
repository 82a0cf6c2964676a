/// Recording: from a run to a point of the baseline, at once (`run --record`) or later out of its
/// run folder (`baseline import FOLDER`).
#pragma once

#include <string>
#include <vector>

#include "baselines/record.h"
#include "runner/cli/git.h"
#include "runner/model/result.h"
#include "runner/model/run_result.h"
#include "runner/platform/environment.h"
#include "runner/platform/files.h"

namespace perfgate::cli {

/// Error `usage` in a pull-request event (pull requests never write baselines) and with a planted
/// fault in the environment.
[[nodiscard]] Status check_may_record(const platform::Environment& environment);

/// Error `usage`: HEAD is not of the baseline branch's line, so that no later run would find this
/// one among its ancestors. `checked_out`: git's branch; empty or "HEAD" = none.
[[nodiscard]] Status check_line_for_recording(const Ancestry& ancestry, const std::string& branch,
                                              const std::string& checked_out);

/// Errors: an invalid run (`invalid_measurement`), a replayed or imported one, or one beside a base
/// (`usage`).
[[nodiscard]] Status check_recordable(const RunResult& result);

/// Opens the store as recording will, before anything is measured: a store that is newer, damaged
/// or read-only is found out while nothing is lost. Makes the store where there is none.
[[nodiscard]] Status check_store_for_recording(const std::string& store,
                                               const platform::Environment& environment);

struct Recorded {
  std::string said;                     ///< "run 7 recorded in PATH"
  std::vector<std::string> warnings{};  ///< what a person may not have meant, and how to undo it
};

/// What failed after a run was recorded (a full disk), said so that nobody records it twice.
[[nodiscard]] Status with_record(Status later, const Recorded& recorded);

/// Where a gate passed by an accepted line, the level of its metric begins anew at this run, and
/// later runs are judged against what was accepted; not where a limit alone had been breached
/// (gates::is_new_level).
[[nodiscard]] Result<Recorded> record_result(const std::string& store, const RunResult& result,
                                             const std::string& workload_digest,
                                             const platform::Environment& environment);

/// The same for a run that was measured before; recording one twice is one. The folder must say one
/// thing: errors (`corrupt`, `invalid_measurement`) for a result.json that contradicts itself, that
/// is of another workload, that is not complete (completeness.h), or whose times are not those of
/// processes/NN-timing/results.jsonl, and for a capture that is not valid.
[[nodiscard]] Result<Recorded> record_folder(const std::string& store, const std::string& folder,
                                             const platform::FileSystem& files,
                                             const platform::Environment& environment);

}  // namespace perfgate::cli
