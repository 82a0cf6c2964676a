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

/// A whole run folder: result.json, and the processes with their steps as they were recorded.
[[nodiscard]] Result<RunResult> read_run_folder(const platform::FileSystem& files,
                                                const std::string& folder);

}  // namespace perfgate::cli
