/// A run folder belongs to one run. Two runs that started in one second in two containers (both
/// process 1) once shared a folder, and the slower program was judged by the other's times: PASS.
#pragma once

#include <string>

#include "runner/model/result.h"
#include "runner/platform/files.h"

namespace perfgate::measure {

/// Usage error if anything is in the folder; nothing is made. Asked before anything else, so that a
/// run that cannot start leaves nothing behind.
[[nodiscard]] Status check_empty(const platform::FileSystem& files, const std::string& folder);

/// Makes the folder and the file `.perfgate-run` in it, for this process alone: usage error if that
/// file is there.
[[nodiscard]] Status claim_folder(platform::FileSystem& files, const std::string& folder);

}  // namespace perfgate::measure
