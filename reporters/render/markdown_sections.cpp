#include "reporters/render/markdown_sections.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "reporters/render/accepted_lines.h"
#include "reporters/render/breakdown.h"
#include "reporters/render/detail_rows.h"
#include "reporters/render/display_text.h"
#include "reporters/render/history.h"
#include "reporters/render/markdown_escape.h"
#include "reporters/render/markdown_parts.h"
#include "reporters/render/sight.h"
#include "reporters/render/summary_lines.h"
#include "reporters/render/units.h"

namespace perfgate::render {
namespace {

constexpr std::size_t kAcceptedLines = 10;
constexpr std::size_t kBarCells = 16;
constexpr std::size_t kLastWordLines = 12;
constexpr std::size_t kTextColumns = kMarkdownTextColumns;
constexpr std::size_t kCommandColumns = 4000;

std::string change_cell(double ms, const std::optional<double>& base_ms) {
  return base_ms ? format_change_ms(ms - *base_ms) : "";
}

}  // namespace

std::string markdown_command(std::string_view text) {
  return markdown_code(cut_end(printable(text, true), kCommandColumns, true));
}

ComparedRows compared_rows(const RunResult& result, std::size_t most) {
  ComparedRows rows;
  for (const Comparison* row : by_weight(result)) {
    const bool notable = is_notable(*row) || accepted_by(result, *row) != nullptr;
    const bool open = notable && rows.open.size() < most;
    (open ? rows.open : rows.folded).push_back(row);
  }
  return rows;
}

std::string compared_table(const RunResult& result, std::span<const Comparison* const> shown,
                           ComparedColumns columns) {
  static constexpr std::array<MarkdownColumn, 7> kColumns{{{"Metric", false, true},
                                                           {"Baseline", true},
                                                           {"Now", true},
                                                           {"Change (interval)"},
                                                           {"Verdict"},
                                                           {"Margin / tolerance"},
                                                           {"Finds from"}}};
  static constexpr std::array kNarrow{kColumns[0], kColumns[1], kColumns[2],
                                      kColumns[3], kColumns[4], kColumns[6]};
  static constexpr std::array kWithoutBase{kColumns[0], kColumns[2], kColumns[4]};
  if (shown.empty()) return {};
  const bool based = has_base(result);
  const bool narrow = columns == ComparedColumns::narrow;
  std::size_t told = kNarrow.size() - 1;
  std::vector<Row> rows;
  rows.reserve(shown.size());
  for (const Comparison* row : shown) {
    Row cells = compared_row(*row);
    cells.back() = verdict_word(result, *row);
    const Row sight = sight_cells(*row);
    if (!sight[2].empty()) told = kNarrow.size();
    if (!narrow) cells.push_back(sight[0].empty() ? "" : sight[0] + " / " + sight[1]);
    cells.push_back(sight[2]);
    if (!based) cells = {cells[0], cells[2], cells[4]};
    rows.push_back(std::move(cells));
  }
  if (!based) return markdown_table(kWithoutBase, rows);
  if (!narrow) return markdown_table(kColumns, rows);
  for (Row& cells : rows) cells.resize(told);
  return markdown_table(std::span<const MarkdownColumn>(kNarrow).first(told), rows);
}

std::string changed_section(const RunResult& result, const ComparedRows& rows,
                            ComparedColumns columns) {
  if (result.comparisons.empty()) return {};
  std::string out = "\n";
  if (!rows.open.empty()) out += compared_table(result, rows.open, columns) + "\n";
  const auto left_out =
      std::ranges::count_if(rows.folded, [](const Comparison* row) { return is_notable(*row); });
  if (left_out > 0) out += fmt::format("{} more changed, see the other metrics below. ", left_out);
  return out + "Of all gated metrics: " + counts_line(result) + ".\n";
}

std::string history_section(const RunResult& result) {
  const auto history = history_line(result);
  if (!history) return {};
  return fmt::format("\nHistory of {}: {}.\n", markdown_name(history->metric),
                     markdown_prose(history->words));
}

std::string accepted_list(const RunResult& result) {
  std::string out;
  for (const AcceptedLine& line : accepted_lines(result, kAcceptedLines)) {
    out += fmt::format("- {}{}\n", line.label.empty() ? "" : fmt::format("**{}** ", line.label),
                       markdown_prose(line.text));
  }
  return out;
}

std::string facts_list(const RunResult& result) {
  std::string out = "- Step time: " + markdown_prose(step_line(result)) + "\n";
  out += "- Floor: " + markdown_prose(floor_line(result)) + "\n";
  out += "- Capture: " + markdown_prose(capture_line(result)) + "\n";
  return out + "- Machine: " + markdown_prose(machine_line(result)) + "\n";
}

std::string last_words_block(const RunResult& result) {
  std::string lines;
  for (const std::string& line : last_words(result, kLastWordLines)) {
    lines += cut_end(printable(line, true), kTextColumns, true) + "\n";
  }
  return lines.empty() ? "" : markdown_block(lines);
}

std::string breakdown_table(const RunResult& result) {
  static constexpr std::array<MarkdownColumn, 6> kColumns{{{"Part"},
                                                           {"ms a step", true},
                                                           {"Share", true},
                                                           {""},
                                                           {"Pieces a step", true},
                                                           {"vs baseline", true}}};
  const Breakdown breakdown = break_down(result);
  if (!breakdown.known) return {};
  std::vector<Row> rows;
  rows.reserve(breakdown.families.size() + breakdown.idle.size() + 2);
  for (const FamilyRow& row : breakdown.families) {
    rows.push_back({row.family, format_fixed(row.ms_per_step, 3), format_share(row.share),
                    bar(row.share, kBarCells, true), format_count(row.operations_per_step),
                    change_cell(row.ms_per_step, row.base_ms)});
  }
  const double idle_share = breakdown.idle_ms / breakdown.window_ms;
  rows.push_back({"idle", format_fixed(breakdown.idle_ms, 3), format_share(idle_share),
                  bar(idle_share, kBarCells, true), format_count(breakdown.gaps_per_step),
                  change_cell(breakdown.idle_ms, breakdown.base_idle_ms)});
  for (const IdleRow& row : breakdown.idle) {
    rows.push_back({"idle: " + std::string(to_string(row.cause)), format_fixed(row.ms_per_step, 3),
                    format_share(row.share), bar(row.share, kBarCells, true),
                    format_count(row.pieces_per_step), change_cell(row.ms_per_step, row.base_ms)});
  }
  rows.push_back({"traced step", format_fixed(breakdown.window_ms, 3), "100.0 %", "", "", ""});
  const std::string note = trace_note(result, breakdown);
  return markdown_table(kColumns, rows) + (note.empty() ? "" : "\n" + markdown_prose(note) + "\n");
}

std::string traced_details(const RunResult& result, std::size_t most) {
  const TracedProcess* process = shown_process(result);
  return process == nullptr ? "" : traced_details(*process, most);
}

std::string traced_details(const TracedProcess& process, std::size_t most) {
  static constexpr std::array<MarkdownColumn, 6> kGaps{{{"Cause"},
                                                        {"A step", true},
                                                        {"Gaps a step", true},
                                                        {"After", false, true},
                                                        {"Before", false, true},
                                                        {"Host in", false, true}}};
  static constexpr std::array<MarkdownColumn, 6> kKernels{{{"Kernel", false, true},
                                                           {"Family"},
                                                           {"A step", true},
                                                           {"Calls a step", true},
                                                           {"Median", true},
                                                           {"Blocks x threads", true}}};
  static constexpr std::array<MarkdownColumn, 4> kRanges{
      {{"Range", false, true}, {"Times a step", true}, {"GPU a step", true}, {"Operations", true}}};
  if (most == 0) return {};
  std::string out;
  for (const DeviceWindow& device : process.devices) {
    const std::string where =
        fmt::format(" (process {}, {})", process.process,
                    markdown_prose(device.name.empty() ? device.uuid : device.name));
    const auto fold = [&](const char* title, std::span<const MarkdownColumn> columns,
                          const std::vector<Row>& rows, const std::string& note = {}) {
      if (!rows.empty())
        out += markdown_folded(title + where, markdown_table(columns, rows) + note);
    };
    fold("Where the GPU waits, this run only", kGaps, gap_rows(device, most));
    const std::vector<Row> kernels = kernel_rows(device, most);
    const std::size_t columns = kernels.empty() ? 0 : kernels.front().size();
    fold("Kernels", std::span<const MarkdownColumn>(kKernels).first(columns), kernels,
         kernels_overlap(device) ? "\n" + std::string(kOverlapNote) + ".\n" : "");
    fold("Ranges", kRanges, range_rows(device, most));
  }
  return out;
}

std::string environment_tables(const RunResult& result, std::size_t most) {
  static constexpr std::array<MarkdownColumn, 3> kChanges{
      {{"Changed", false, true}, {"Baseline", false, true}, {"Now", false, true}}};
  static constexpr std::array<MarkdownColumn, 2> kFacts{
      {{"Fact", false, true}, {"Value", false, true}}};
  std::vector<Row> changes = changed_rows(result);
  changes.resize(std::min(changes.size(), most));
  std::vector<Row> rows;
  const Fingerprint& fingerprint = result.measurement.fingerprint;
  for (const auto* map : {&fingerprint.environment, &fingerprint.subject, &fingerprint.instance}) {
    for (const auto& [key, value] : *map) {
      if (rows.size() < most) rows.push_back({key, value});
    }
  }
  std::string body;
  if (!changes.empty()) body += markdown_table(kChanges, changes) + "\n";
  if (!rows.empty()) body += markdown_table(kFacts, rows);
  return body;
}

std::string notes_list(const RunResult& result, std::size_t most) {
  std::string body;
  std::size_t shown = 0;
  for (const std::string& line : note_lines(result)) {
    if (shown++ < most)
      body += "- " + markdown_item(cut_end(printable(line, true), kTextColumns, true)) + "\n";
  }
  return body;
}

}  // namespace perfgate::render
