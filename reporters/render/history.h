/// What the store knows of the metric that a verdict rests on, in one sentence for every report
/// that has room for it. Pure. Internal to the folder.
#pragma once

#include <optional>
#include <string>

#include "runner/model/run_result.h"

namespace perfgate::render {

struct HistoryLine {
  std::string metric;  ///< raw
  std::string words;   ///< as history_words
};

/// Of the headline's row, else of the step time's; empty where the store had no comparable run.
[[nodiscard]] std::optional<HistoryLine> history_line(const RunResult& result);

}  // namespace perfgate::render
