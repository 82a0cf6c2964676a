#include "reporters/render/history.h"

#include <algorithm>
#include <string_view>

#include "reporters/render/sparkline.h"
#include "reporters/render/story.h"

namespace perfgate::render {
namespace {

constexpr std::string_view kStepTime = "step_time_p50";

}  // namespace

std::optional<HistoryLine> history_line(const RunResult& result) {
  const auto step = std::ranges::find(result.comparisons, kStepTime, &Comparison::metric);
  for (const Comparison* row :
       {headline_row(result), step == result.comparisons.end() ? nullptr : &*step}) {
    if (row == nullptr) continue;
    std::string words = history_words(row->history, row->head, row->unit);
    if (!words.empty()) return HistoryLine{row->metric, std::move(words)};
  }
  return std::nullopt;
}

}  // namespace perfgate::render
