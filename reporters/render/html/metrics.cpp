#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "reporters/render/accepted_lines.h"
#include "reporters/render/detail_rows.h"
#include "reporters/render/history.h"
#include "reporters/render/html/change.h"
#include "reporters/render/html/markup.h"
#include "reporters/render/sight.h"
#include "reporters/render/summary_lines.h"
#include "runner/model/outcome.h"

namespace perfgate::render::html {
namespace {

constexpr std::size_t kAcceptedLines = 100;

using enum Column::Kind;
// What a reader looks for comes first: on a phone the values are to be scrolled to.
constexpr std::array<Column, 7> kColumns{{{"Metric", markup},
                                          {"Verdict", text},
                                          {"Change (interval)", text},
                                          {"Baseline", number},
                                          {"Now", number},
                                          {"Margin / tolerance", text},
                                          {"Finds from", text}}};

// The metric, and under it why it was decided so, where that is more than "pass".
std::string metric_markup(const Comparison& row, bool with_reason) {
  std::string out = name_markup(row.metric);
  if (with_reason && !row.reason.empty()) {
    out += "<div class=\"quiet small\">" + escaped(row.reason) + "</div>";
  }
  return out;
}

TableRow metric_row(const RunResult& result, const Comparison& comparison) {
  const Row cells = compared_row(comparison);
  const Row sight = sight_cells(comparison);
  const bool notable = is_notable(comparison) || accepted_by(result, comparison) != nullptr;
  const std::string_view tone = to_string(comparison.outcome);
  return {.cells = {{.content = metric_markup(comparison, notable)},
                    {.content = verdict_word(result, comparison), .tone = tone},
                    {.content = cells[3]},
                    {.content = cells[1]},
                    {.content = cells[2]},
                    {.content = sight[0].empty() ? "" : sight[0] + " / " + sight[1]},
                    {.content = sight[2]}}};
}

std::string accepted_markup(const RunResult& result) {
  std::string items;
  for (const AcceptedLine& line : accepted_lines(result, kAcceptedLines)) {
    items += fmt::format("<li>{}{}</li>\n",
                         line.label.empty() ? "" : fmt::format("<b>{}</b> ", line.label),
                         escaped(line.text));
  }
  if (items.empty()) return {};
  return "<h3>Accepted regressions (<code>perfgate-accepts.yaml</code>)</h3>\n<ul>\n" + items +
         "</ul>\n";
}

}  // namespace

std::string metrics_markup(const RunResult& result) {
  Table table{.label = "Judged metrics", .columns = kColumns, .rows = {}};
  for (const Comparison* row : by_weight(result)) table.rows.push_back(metric_row(result, *row));
  std::string body;
  if (!table.rows.empty()) {
    body = paragraph("Of all gated metrics: " + counts_line(result) + ".", "quiet") +
           table_markup(table);
  }
  if (const auto history = history_line(result)) {
    body += "<p class=\"quiet\">History of " + name_markup(history->metric) + ": " +
            prose(history->words) + ".</p>\n";
  }
  return section("metrics", "Judged metrics", body + accepted_markup(result));
}

}  // namespace perfgate::render::html
