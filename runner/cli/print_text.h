/// Sentences on standard output: the one place where their lines are fitted to the console.
#pragma once

#include <string_view>

#include "runner/cli/console.h"
#include "runner/model/result.h"

namespace perfgate::cli {

/// `print` of text whose long lines are broken at spaces (message_text.h), so that it fits 80
/// columns when piped. Not for JSON, YAML and what is copied as it is.
[[nodiscard]] Status print_text(const Console& console, std::string_view text);

}  // namespace perfgate::cli
