#include "reporters/render/drill_table.h"

#include <array>

#include <fmt/format.h>

#include "reporters/render/markdown_parts.h"
#include "reporters/render/table.h"
#include "reporters/render/units.h"

namespace perfgate::render {
namespace {

constexpr std::array<const char*, 7> kHeaders{"planted", "size",          "judged", "FAIL",
                                              "share",   "95 % (Wilson)", "means"};

std::vector<std::vector<std::string>> rows_of(std::span<const TrendDrill> drills) {
  std::vector<std::vector<std::string>> rows;
  for (const TrendDrill& drill : drills) {
    const bool any = drill.trials > 0;
    rows.push_back(
        {drill.planted, drill.nothing ? "-" : format_percent(drill.size_ratio),
         std::to_string(drill.trials), std::to_string(drill.failed),
         any ? fmt::format("{:.1f} %", 100.0 * drill.share) : "-",
         any ? fmt::format("{:.1f} to {:.1f} %", 100.0 * drill.low, 100.0 * drill.high) : "-",
         drill.nothing ? "false FAIL" : "power"});
  }
  return rows;
}

}  // namespace

std::string drill_table(std::span<const TrendDrill> drills, const TerminalStyle& style) {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < kHeaders.size(); ++i) {
    const bool text = i == 0 || i + 1 == kHeaders.size();
    columns.push_back({kHeaders[i], text ? Column::Align::left : Column::Align::right});
  }
  return render_table(columns, rows_of(drills), style);
}

std::string drill_markdown(std::span<const TrendDrill> drills) {
  std::vector<MarkdownColumn> columns;
  for (std::size_t i = 0; i < kHeaders.size(); ++i)
    columns.push_back({kHeaders[i], i > 0 && i + 1 < kHeaders.size()});
  return markdown_table(columns, rows_of(drills));
}

}  // namespace perfgate::render
