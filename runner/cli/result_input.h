/// A RESULT as commands take it: a run folder, or its result.json.
#pragma once

#include <string>

#include "runner/model/result.h"
#include "runner/model/run_result.h"
#include "runner/platform/files.h"

namespace perfgate::cli {

/// True for a folder that holds a run, finished or not.
[[nodiscard]] bool holds_run(const platform::FileSystem& files, const std::string& folder);

/// Without single steps, which result.json does not hold. Errors: `not_found` (also for a run that
/// did not come to its report), `corrupt`, `unsupported` as result_json.h; each names the path.
[[nodiscard]] Result<RunResult> read_result(const platform::FileSystem& files,
                                            const std::string& named);

/// The same, where the verdict is believed: `corrupt` also for a result that contradicts itself
/// (gates/contradiction.h), and for a folder whose parts disagree (completeness.h) or that calls
/// itself replayed beside processes of its own; `invalid_measurement` for a folder without its
/// workload.yaml or, of a measured run, without a process. A result.json named as a file claims
/// nothing beside it.
[[nodiscard]] Result<RunResult> read_judged_result(const platform::FileSystem& files,
                                                   const std::string& named);

/// Error `corrupt` for a result whose verdict does not follow from the rest of it.
[[nodiscard]] Status check_consistent(const RunResult& result);

/// The folder with the processes and captures of the run in `folder`: itself, or of a replay the
/// recording that was judged. Errors: it keeps none (`invalid_measurement`); its recording lies
/// there no more (`not_found`).
[[nodiscard]] Result<std::string> measured_folder(const platform::FileSystem& files,
                                                  const std::string& folder);

/// A whole run folder: result.json, and the processes with their steps as they were recorded.
[[nodiscard]] Result<RunResult> read_run_folder(const platform::FileSystem& files,
                                                const std::string& folder);

}  // namespace perfgate::cli
