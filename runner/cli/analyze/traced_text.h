/// What one traced process shows, in short: as text for a terminal, and as JSON.
#pragma once

#include <string>

#include "reporters/render/display_text.h"
#include "runner/cli/analyze/traced_input.h"
#include "runner/cli/json_output.h"

namespace perfgate::cli {

/// Verdict with its reasons, then by device the window, its families and its idle causes.
[[nodiscard]] std::string traced_text(const LoadedTrace& loaded,
                                      const render::TerminalStyle& style);

[[nodiscard]] Json traced_json(const LoadedTrace& loaded);

}  // namespace perfgate::cli
