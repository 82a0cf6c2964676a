/// Two run folders that are there already, held against each other: where the change went. For
/// reading; it is no verdict, since two runs of one hour do not tell what an hour does.
#pragma once

#include <string>

#include "reporters/render/explanation.h"
#include "runner/model/result.h"
#include "runner/platform/files.h"

namespace perfgate::cli {

/// Both are analysed anew out of their captures, as a replay does. Of a run with two programs (ab)
/// "FOLDER:base" is the one and "FOLDER:head" the other; its folder alone is the head, and a
/// warning says so. Captures that are not valid come first among the warnings; environments that
/// differ, another workload, and other work a step are warnings too. Errors: those of
/// read_judged_result, `invalid_measurement` for a folder without processes of its own (a result
/// alone, a replayed run), `usage` for the base of a run of one program.
[[nodiscard]] Result<render::Explanation> compare_runs(const platform::FileSystem& files,
                                                       const std::string& base,
                                                       const std::string& head);

}  // namespace perfgate::cli
