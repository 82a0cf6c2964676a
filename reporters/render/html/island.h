/// The numbers of the charts, as one JSON object inside the page. Pure. Internal to the folder.
///
/// Keys are the names of the figures ("budget", "ledger", "gaps", "roofline", "processes"); null
/// where there is too little to draw. Words and figures for the reader are formatted here, so that
/// the script has no units of its own.
#pragma once

#include <string>

#include "runner/model/run_result.h"

namespace perfgate::render::html {

/// ASCII, and without any character that means something in HTML: it may stand in a <script>.
[[nodiscard]] std::string island_json(const RunResult& result);

}  // namespace perfgate::render::html
