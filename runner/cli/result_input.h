/// A RESULT as commands take it: a run folder, its result.json, or store:REF.
#pragma once

#include <string>

#include "runner/model/result.h"
#include "runner/model/run_result.h"
#include "runner/platform/files.h"

namespace perfgate::cli {

/// Errors: `not_found`, `corrupt`, `unsupported` as result_json.h; each names the path.
[[nodiscard]] Result<RunResult> read_result(const platform::FileSystem& files,
                                            const std::string& named);

}  // namespace perfgate::cli
