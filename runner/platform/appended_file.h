/// A file that others write, too, and that is only ever added to, as GITHUB_STEP_SUMMARY.
#pragma once

#include <string>
#include <string_view>

#include "runner/model/result.h"

namespace perfgate::platform {

/// Made where it is not there. Error `io`.
[[nodiscard]] Status append_to_file(const std::string& path, std::string_view text);

}  // namespace perfgate::platform
