#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "reporters/render/drill_table.h"
#include "reporters/render/markdown_escape.h"
#include "reporters/render/markdown_parts.h"
#include "reporters/render/markdown_sections.h"
#include "reporters/render/trend.h"
#include "reporters/render/trend_words.h"

namespace perfgate::render {
namespace {

constexpr std::size_t kMostRuns = 40;
/// A longer list is folded.
constexpr std::size_t kMostOpen = 6;

std::string alert_item(const TrendAlert& alert) {
  std::string text = fmt::format("- **{}**: {}. {}\n", markdown_prose(alert.workload),
                                 markdown_prose(alert.sentence), markdown_prose(alert.advice));
  for (const std::string& command : alert.commands)
    text += fmt::format("  - {}\n", markdown_command(command));
  return text;
}

std::string metric_table(const TrendWorkload& workload) {
  static constexpr std::array<MarkdownColumn, 7> kColumns{{{"Metric", false, true},
                                                           {"Level", true},
                                                           {"Accepted", true},
                                                           {"Change", true},
                                                           {"CUSUM", true},
                                                           {"State"},
                                                           {"Newest runs"}}};
  std::vector<std::vector<std::string>> rows;
  for (const TrendMetric& metric : workload.metrics) {
    const TrendCells cells = cells_of(metric, kMostRuns);
    std::string state(to_string(metric.state));
    for (char& c : state) c = c == '_' ? ' ' : c;
    rows.push_back(
        {metric.metric, cells.level, cells.accepted, cells.change, cells.creep, state, cells.runs});
  }
  return rows.empty() ? "" : markdown_table(kColumns, rows);
}

std::string remark_list(const TrendWorkload& workload) {
  const std::vector<TrendRemark> remarks = remarks_of(workload);
  std::string list;
  for (const TrendRemark& remark : remarks)
    list += fmt::format("- {}: {}\n", remark.label, markdown_prose(remark.text));
  if (list.empty()) return {};
  if (remarks.size() <= kMostOpen) return "\n" + list;
  return markdown_folded(fmt::format("{} remarks", remarks.size()), list);
}

std::string section(const TrendWorkload& workload) {
  const std::string place = place_words(workload);
  std::string text = fmt::format("\n### {}\n\n", markdown_prose(workload.workload));
  text += markdown_prose((place.empty() ? "" : place + ": ") + runs_words(workload)) + "\n";
  if (const std::string table = metric_table(workload); !table.empty()) text += "\n" + table;
  text += remark_list(workload);
  if (workload.drills.empty()) return text;
  text +=
      "\nDrills, where it was known what had been planted:\n\n" + drill_markdown(workload.drills);
  if (workload.drills_not_judged > 0)
    text += fmt::format("\n{} more could not be judged.\n", workload.drills_not_judged);
  return text;
}

}  // namespace

std::string render_trend_markdown(const TrendReport& report) {
  std::string text = fmt::format("## perfgate trend: {}\n\n{}\n", trend_word(report),
                                 markdown_prose(trend_sentence(report)));
  std::string alerts;
  for (const TrendAlert& alert : trend_alerts(report)) alerts += alert_item(alert);
  if (!alerts.empty()) text += "\n" + alerts;
  for (const TrendWorkload& workload : report.workloads) text += section(workload);
  return text + "\n" + markdown_prose("Runs: " + trend_ground(report)) + "\n";
}

}  // namespace perfgate::render
