#include "reporters/render/trend.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "reporters/render/drill_table.h"
#include "reporters/render/screen.h"
#include "reporters/render/shell_command.h"
#include "reporters/render/table.h"
#include "reporters/render/trend_words.h"

namespace perfgate::render {
namespace {

constexpr std::size_t kIndent = 9;
constexpr std::size_t kMostRuns = 20;

Ink ink_of(std::string_view word) {
  return word == "ALERT" ? Ink::red : word == "QUIET" ? Ink::green : Ink::yellow;
}

void put_alert(Screen& screen, const TrendAlert& alert) {
  screen.blank();
  screen.labelled("alert", alert.workload + ": " + alert.sentence, Ink::red);
  screen.labelled("next", alert.advice);
  for (const std::string& command : alert.commands) {
    const std::string clean = printable(command, screen.unicode());
    for (const std::string& piece : command_lines(clean, screen.width() - kIndent))
      screen.whole(std::string(kIndent, ' ') + piece);
  }
}

void put_metrics(Screen& screen, const TrendWorkload& workload) {
  std::vector<Column> columns{{"metric", Column::Align::left, Column::Cut::middle},
                              {"level", Column::Align::right},
                              {"accepted", Column::Align::right},
                              {"change", Column::Align::right},
                              {"CUSUM", Column::Align::right}};
  if (screen.unicode()) columns.push_back({"newest runs", Column::Align::left});
  std::vector<std::vector<std::string>> rows;
  for (const TrendMetric& metric : workload.metrics) {
    const TrendCells cells = cells_of(metric, kMostRuns);
    rows.push_back(
        {metric.metric, cells.level, cells.accepted, cells.change, cells.creep, cells.runs});
  }
  if (!rows.empty()) screen.block(render_table(columns, rows, screen.style()));
}

void put_workload(Screen& screen, const TrendWorkload& workload) {
  const std::string place = place_words(workload);
  screen.heading(fmt::format("{}{}{}: {}", workload.workload, place.empty() ? "" : " ", place,
                             runs_words(workload)));
  put_metrics(screen, workload);
  for (const TrendRemark& remark : remarks_of(workload))
    screen.labelled(remark.label, remark.text, remark.label == "FAILED" ? Ink::red : Ink::bold,
                    kIndent + 3);
  if (workload.drills.empty()) return;
  screen.labelled("drills", "what this runner's gate did where it was known what had been planted:",
                  Ink::bold, kIndent + 3);
  screen.block(drill_table(workload.drills, screen.style()));
  if (workload.drills_not_judged > 0)
    screen.labelled("", fmt::format("{} more could not be judged", workload.drills_not_judged),
                    Ink::plain, kIndent + 3);
}

}  // namespace

std::string render_trend(const TrendReport& report, const TerminalStyle& style) {
  Screen screen(style);
  screen.labelled(trend_word(report), trend_sentence(report), ink_of(trend_word(report)));
  screen.labelled("runs", trend_ground(report));
  for (const TrendAlert& alert : trend_alerts(report)) put_alert(screen, alert);
  for (const TrendWorkload& workload : report.workloads) put_workload(screen, workload);
  return std::move(screen).take();
}

}  // namespace perfgate::render
