#include "reporters/render/terminal_details.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reporters/render/accepted_lines.h"
#include "reporters/render/after_verdict.h"
#include "reporters/render/breakdown.h"
#include "reporters/render/detail_rows.h"
#include "reporters/render/kernel_name.h"
#include "reporters/render/ledger_rows.h"
#include "reporters/render/ledger_text.h"
#include "reporters/render/sight.h"
#include "reporters/render/story.h"
#include "reporters/render/summary_lines.h"
#include "reporters/render/table.h"

namespace perfgate::render {
namespace {

using Align = Column::Align;
using Cut = Column::Cut;

constexpr std::size_t kComparedRows = 20;
constexpr std::size_t kGapSites = 8;
constexpr std::size_t kKernels = 10;
constexpr std::size_t kRanges = 10;
constexpr std::size_t kNoteLines = 8;
constexpr std::size_t kAcceptedLines = 20;
constexpr std::size_t kAcceptedIndent = 10;

void put_table(Screen& screen, std::string_view heading, std::span<const Column> columns,
               std::span<const Row> rows) {
  if (rows.empty()) return;
  screen.heading(heading);
  screen.block(render_table(columns, rows, screen.style()));
}

void put_compared(Screen& screen, const RunResult& result) {
  static const std::array kColumns{
      Column{"metric", Align::left, Cut::middle}, Column{"baseline", Align::right, Cut::none},
      Column{"now", Align::right, Cut::none}, Column{"change (interval)", Align::left, Cut::none},
      Column{"verdict", Align::left, Cut::none}};
  const auto rows_with = [&](ChangeWords words) {
    std::vector<Row> rows;
    for (const Comparison* row : by_weight(result)) {
      const bool notable = is_notable(*row) || accepted_by(result, *row) != nullptr;
      if (rows.size() >= kComparedRows && !notable) continue;
      rows.push_back(compared_row(*row, words));
      rows.back().back() = verdict_word(result, *row);
    }
    return rows;
  };
  // Words about the change give way before a metric's name does.
  std::vector<Row> rows = rows_with(ChangeWords::whole);
  for (const ChangeWords fewer : {ChangeWords::one_sign, ChangeWords::interval}) {
    if (has_base(result) && !fits_table(kColumns, rows, screen.style())) rows = rows_with(fewer);
  }
  const std::string heading = "compared: " + counts_line(result);
  if (has_base(result)) {
    put_table(screen, heading, kColumns, rows);
  } else {
    static const std::array kWithoutBase{kColumns[0], kColumns[2], kColumns[4]};
    for (Row& row : rows) row = {row[0], row[2], row[4]};
    put_table(screen, heading, kWithoutBase, rows);
  }
  const std::size_t left_out = result.comparisons.size() - rows.size();
  if (left_out > 0) screen.line(fmt::format("{} more without a notable change", left_out));
}

// `sure` has those of the row that the verdict rests on.
void put_sight(Screen& screen, const RunResult& result) {
  static const std::array kColumns{
      Column{"metric", Align::left, Cut::middle}, Column{"margin", Align::left, Cut::none},
      Column{"tolerance", Align::left, Cut::none}, Column{"finds from", Align::left, Cut::none}};
  std::vector<Row> rows;
  bool other = false;
  const Comparison* headline = headline_row(result);
  for (const Comparison* row : by_weight(result)) {
    Row cells = sight_cells(*row);
    if (cells.front().empty() || rows.size() >= kComparedRows) continue;
    other = other || row != headline;
    cells.insert(cells.begin(), row->metric);
    rows.push_back(std::move(cells));
  }
  if (other) put_table(screen, "what each gate lets pass", kColumns, rows);
}

void put_accepted(Screen& screen, const RunResult& result) {
  const std::vector<AcceptedLine> lines = accepted_lines(result, kAcceptedLines);
  if (lines.empty()) return;
  screen.heading("accepted regressions (perfgate-accepts.yaml)");
  for (const AcceptedLine& line : lines) {
    screen.labelled(line.label, line.text, Ink::plain, kAcceptedIndent, kNoteLines);
  }
}

// Two lines a site: the kernels on both sides need the room.
void put_gaps(Screen& screen, const std::string& heading, std::span<const Row> rows) {
  if (rows.empty()) return;
  const std::string_view arrow = screen.unicode() ? " \u2192 " : " -> ";
  const std::size_t half = (screen.width() - 4 - display_width(arrow)) / 2;
  screen.heading(heading);
  for (const Row& row : rows) {
    const std::string where =
        row[5].empty() ? "" : ", host in " + printable(row[5], screen.unicode());
    screen.line(pad_right(row[0], 16) + pad_left(row[1], 9) + " a step in " + row[2] + " gap" +
                (row[2] == "1" ? "" : "s") + where);
    screen.line("    " + short_kernel_name(row[3], half, screen.unicode()) + std::string(arrow) +
                short_kernel_name(row[4], half, screen.unicode()));
  }
}

void put_subject_changes(Screen& screen, const RunResult& result) {
  static const std::array kColumns{Column{"what", Align::left, Cut::end},
                                   Column{"baseline", Align::left, Cut::middle},
                                   Column{"now", Align::left, Cut::middle}};
  put_table(screen, "changed since the baseline", kColumns, changed_rows(result));
}

void put_processes(Screen& screen, const RunResult& result) {
  static const std::array kColumns{
      Column{"processes", Align::left, Cut::none}, Column{"started", Align::right, Cut::none},
      Column{"ok", Align::right, Cut::none}, Column{"median step", Align::right, Cut::none},
      Column{"steps", Align::right, Cut::none}};
  put_table(screen, machine_line(result), kColumns, process_rows(result));
}

// The kernels behind the rows are what `perfgate explain` adds.
void put_ledger(Screen& screen, const RunResult& result) {
  if (!result.ledger) return;
  // Of a green report nobody reads a table of noise; `perfgate explain` has it.
  if (result.verdict.outcome == Outcome::pass && result.diagnosis.empty() &&
      nothing_moved(*result.ledger)) {
    screen.blank();
    screen.labelled("where the change went:", "no part of the step moved beyond its noise");
    return;
  }
  if (!result.diagnosis.empty()) screen.blank();
  put_diagnosis(screen, result.diagnosis);
  put_waterfall(screen, *result.ledger);
  if (!shown_rows(*result.ledger).empty() && !keeps_no_kernels(*result.ledger))
    screen.line("kernels, places and gaps behind it: perfgate explain " +
                printable(folder_word(result), screen.unicode()));
}

}  // namespace

void put_traced(Screen& screen, const TracedProcess& process, const DeviceWindow& device,
                bool result_has_base) {
  static const std::array kKernelColumns{Column{"kernel", Align::left, Cut::kernel},
                                         Column{"family", Align::left, Cut::end},
                                         Column{"a step", Align::right, Cut::none},
                                         Column{"calls", Align::right, Cut::none},
                                         Column{"median", Align::right, Cut::none},
                                         Column{"blocks x threads", Align::right, Cut::none}};
  static const std::array kRangeColumns{
      Column{"range", Align::left, Cut::middle}, Column{"times", Align::right, Cut::none},
      Column{"GPU a step", Align::right, Cut::none}, Column{"operations", Align::right, Cut::none}};
  const auto where = [&](std::string_view more) {
    return fmt::format(" (process {}, {}{})", process.process,
                       printable(device.name.empty() ? device.uuid : device.name, screen.unicode()),
                       more);
  };
  // Sites are named by their kernels and not kept in the store.
  put_gaps(screen, "where the GPU waits" + where(result_has_base ? "; this run only" : ""),
           gap_rows(device, kGapSites));
  const std::vector<Row> kernels = kernel_rows(device, kKernels);
  const std::size_t columns = kernels.empty() ? 0 : kernels.front().size();
  put_table(screen, "kernels" + where(""), std::span<const Column>(kKernelColumns).first(columns),
            kernels);
  if (!kernels.empty() && kernels_overlap(device)) screen.paragraph(kOverlapNote, Ink::plain);
  put_table(screen, "ranges" + where(""), kRangeColumns, range_rows(device, kRanges));
}

void put_details(Screen& screen, const RunResult& result) {
  put_ledger(screen, result);
  put_compared(screen, result);
  put_sight(screen, result);
  put_accepted(screen, result);
  if (const TracedProcess* process = shown_process(result)) {
    for (const DeviceWindow& device : process->devices)
      put_traced(screen, *process, device, has_base(result));
  }
  put_subject_changes(screen, result);
  put_processes(screen, result);
  const std::vector<std::string> notes = note_lines(result);
  if (notes.empty()) return;
  screen.heading("notes");
  for (const std::string& note : notes) screen.labelled("-", note, Ink::plain, 2, kNoteLines);
}

}  // namespace perfgate::render
