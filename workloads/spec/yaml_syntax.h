/// Says in plain words why a text is not YAML, where yaml-cpp's own words name its inner state.
#pragma once

#include <string_view>

#include "workloads/spec/diagnostic.h"

namespace perfgate::workloads {

/// `message` and `at` are those of yaml-cpp's exception. Looks at the source for the likely reason:
/// a tab in the indentation, a text that needs quotes, a bracket or quote that is never closed. An
/// unknown message is passed on as it is.
void report_syntax(std::string_view message, Position at, Problems& problems);

}  // namespace perfgate::workloads
