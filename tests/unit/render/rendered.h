/// A result in a format, as the tests read it. See rendered().
#pragma once

#include <string>

#include "reporters/render/reporter_catalog.h"

namespace perfgate::render {

/// As `format.render`, but a page without the style and the script that it is built with, which
/// are not ours to spell and have tests of their own (tests/web).
[[nodiscard]] std::string rendered(const ReportFormat& format, const RunResult& result);

}  // namespace perfgate::render
