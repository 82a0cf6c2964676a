#include "reporters/render/terminal.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reporters/render/breakdown.h"
#include "reporters/render/screen.h"
#include "reporters/render/shell_command.h"
#include "reporters/render/story.h"
#include "reporters/render/summary_lines.h"
#include "reporters/render/terminal_details.h"
#include "reporters/render/units.h"

namespace perfgate::render {
namespace {

constexpr std::size_t kNameColumn = 20;
constexpr std::size_t kMsColumn = 9;
constexpr std::size_t kShareColumn = 8;
constexpr std::size_t kChangeColumn = 13;
// Blank line, heading, "= step" line.
constexpr std::size_t kFrameLines = 3;
constexpr std::size_t kNoteIndent = 2;
constexpr std::size_t kLastWordLines = 4;
constexpr std::size_t kLastWordWrapped = 8;  // of the last one

Ink ink_of(Outcome outcome) {
  if (outcome == Outcome::pass) return Ink::green;
  return outcome == Outcome::fail || outcome == Outcome::invalid ? Ink::red : Ink::yellow;
}

// The last line says what went wrong, so it gets room; those before it keep their indentation.
void put_last_words(Screen& screen, const RunResult& result) {
  static constexpr std::string_view kBar = "| ";
  std::string_view label = "said     ";
  const std::vector<std::string> lines = last_words(result, kLastWordLines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i + 1 == lines.size()) {
      screen.quoted(label, lines[i], Ink::bold, kLastWordWrapped);
    } else {
      const std::size_t room = screen.width() - label.size() - kBar.size();
      const std::string line = printable(lines[i], screen.unicode());
      screen.three("", label, Ink::bold,
                   std::string(kBar).append(cut_end(line, room, screen.unicode())));
    }
    label = "         ";
  }
}

// On lines of its own, to be copied whole; a shell reads its purpose as a comment.
void put_command(Screen& screen, const std::string& text, const std::string& purpose) {
  static constexpr std::size_t kIndent = 9;
  const std::size_t room = screen.width() - kIndent;
  const std::string command = printable(text, screen.unicode());
  std::vector<std::string> lines = command_lines(command, room);
  const std::string comment = purpose.empty() ? "" : "# " + purpose;
  if (!comment.empty() && display_width(lines.back()) + 2 + display_width(comment) <= room) {
    lines.back() += "  " + comment;
  } else if (!comment.empty()) {
    lines.insert(lines.begin(), comment);
  }
  for (const std::string& line : lines) screen.whole(std::string(kIndent, ' ') + line);
}

void put_story(Screen& screen, const RunResult& result, const Story& story) {
  if (!story.origin.empty()) screen.paragraph(story.origin, Ink::yellow);
  screen.labelled(story.label, story.sentence, ink_of(result.verdict.outcome));
  if (!story.certainty.empty()) screen.labelled("sure", story.certainty);
  if (!story.cause.empty()) screen.labelled("why", story.cause);
  put_last_words(screen, result);
  screen.labelled("next", story.next + (story.command.empty() ? "." : ":"));
  if (!story.command.empty()) put_command(screen, story.command, {});
  for (const ProposedCommand& each : story.more) put_command(screen, each.command, each.purpose);
}

void put_facts(Screen& screen, const RunResult& result) {
  screen.blank();
  screen.labelled("step", step_line(result));
  screen.labelled("floor", floor_line(result));
  screen.labelled("capture", capture_line(result));
}

// name, ms, share, bar, change against the baseline
void put_row(Screen& screen, const std::string& name, double ms, double share, bool with_bar,
             std::optional<double> base_ms, Ink ink) {
  const std::size_t fixed = kNameColumn + kMsColumn + kShareColumn + kChangeColumn + 2;
  const std::size_t cells = screen.width() - fixed;
  const std::string before =
      pad_right(cut_middle(printable(name, screen.unicode()), kNameColumn - 1, screen.unicode()),
                kNameColumn) +
      pad_left(format_fixed(ms, 3), kMsColumn) + pad_left(format_share(share), kShareColumn) + "  ";
  const std::string drawn = with_bar ? bar(share, cells, screen.unicode()) : "";
  const std::string gap(cells - display_width(drawn), ' ');
  const std::string change =
      base_ms ? pad_left(format_change_ms(ms - *base_ms), kChangeColumn) : "";
  screen.three(before, drawn, ink, gap + change);
}

std::string rest_line(std::string_view indent, std::size_t rows, double ms, double window_ms) {
  return pad_right(fmt::format("{}{} more", indent, rows), kNameColumn) +
         pad_left(format_fixed(ms, 3), kMsColumn) +
         pad_left(format_share(ms / window_ms), kShareColumn);
}

struct RowPlan {
  std::size_t families;
  std::size_t causes;
};

// Shares the lines that are left: the causes of idle get at most three, the families the rest. One
// line each is kept for "n more" where rows are left out.
RowPlan plan_rows(const Breakdown& breakdown, std::size_t left) {
  const std::size_t left_for_rows = left > 1 ? left - 1 : 0;  // the idle line itself
  const auto shown = [](std::size_t rows, std::size_t room) {
    if (rows <= room) return rows;
    return room > 1 ? room - 1 : 0;
  };
  const std::size_t causes_room =
      std::min<std::size_t>(breakdown.idle.size(), left_for_rows >= 8   ? 4
                                                   : left_for_rows >= 5 ? 2
                                                                        : 0);
  const std::size_t families =
      shown(breakdown.families.size(), left_for_rows - std::min(causes_room, left_for_rows));
  const std::size_t family_lines = families + (families < breakdown.families.size() ? 1 : 0);
  const std::size_t room = left_for_rows > family_lines ? left_for_rows - family_lines : 0;
  return {families, shown(breakdown.idle.size(), room)};
}

// `right` ends at the right border; where both do not fit, the line is cut.
void put_aligned(Screen& screen, std::string left, const std::string& right) {
  const std::size_t wanted = display_width(right);
  left = pad_right(std::move(left), screen.width() > wanted ? screen.width() - wanted : 0);
  screen.line(left.append(right));
}

double change_of(const FamilyRow& row) {
  return row.base_ms ? std::abs(row.ms_per_step - *row.base_ms) : 0.0;
}

// Which families are shown where not all have room: what changed comes before what is large.
std::vector<bool> shown_families(const Breakdown& breakdown, std::size_t rows) {
  static constexpr double kOfWindow = 0.001;
  std::vector<std::size_t> order(breakdown.families.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto weight = [&](std::size_t i) {
    const double change = change_of(breakdown.families[i]);
    return change >= kOfWindow * breakdown.window_ms ? change : 0.0;
  };
  std::ranges::stable_sort(order, std::ranges::greater{}, weight);
  std::vector<bool> shown(order.size(), false);
  for (std::size_t i = 0; i < std::min(rows, order.size()); ++i) shown[order[i]] = true;
  return shown;
}

void put_families(Screen& screen, const Breakdown& breakdown, std::size_t rows) {
  const std::vector<bool> shown = shown_families(breakdown, rows);
  double rest_ms = 0.0;
  double rest_change_ms = 0.0;
  bool known = true;
  for (std::size_t i = 0; i < breakdown.families.size(); ++i) {
    const FamilyRow& row = breakdown.families[i];
    if (shown[i]) {
      put_row(screen, "  " + row.family, row.ms_per_step, row.share, true, row.base_ms, Ink::cyan);
      continue;
    }
    rest_ms += row.ms_per_step;
    known = known && row.base_ms.has_value();
    rest_change_ms += row.ms_per_step - row.base_ms.value_or(row.ms_per_step);
  }
  const std::size_t more = breakdown.families.size() - std::min(rows, breakdown.families.size());
  if (more == 0) return;
  put_aligned(screen, rest_line("  ", more, rest_ms, breakdown.window_ms),
              known ? format_change_ms(rest_change_ms) : "");
}

void put_idle(Screen& screen, const Breakdown& breakdown, std::size_t rows) {
  put_row(screen, "  idle", breakdown.idle_ms, breakdown.idle_ms / breakdown.window_ms, true,
          breakdown.base_idle_ms, Ink::yellow);
  for (std::size_t i = 0; i < std::min(rows, breakdown.idle.size()); ++i) {
    const IdleRow& row = breakdown.idle[i];
    const std::string name = "    " + std::string(to_string(row.cause));
    const std::string gaps = fmt::format("  {} gap{} of {}", format_count(row.pieces_per_step),
                                         row.pieces_per_step == 1.0 ? "" : "s",
                                         format_milliseconds(row.mean_us / 1e3, 2));
    const std::string start = pad_right(name, kNameColumn) +
                              pad_left(format_fixed(row.ms_per_step, 3), kMsColumn) +
                              pad_left(format_share(row.share), kShareColumn);
    const std::string change = row.base_ms ? format_change_ms(row.ms_per_step - *row.base_ms) : "";
    put_aligned(screen, start + gaps, change);
  }
  // Without a cause above it, the rest is what the line of idle says.
  if (rows > 0 && rows < breakdown.idle.size()) {
    double rest_ms = 0.0;
    for (std::size_t i = rows; i < breakdown.idle.size(); ++i)
      rest_ms += breakdown.idle[i].ms_per_step;
    screen.line(rest_line("    ", breakdown.idle.size() - rows, rest_ms, breakdown.window_ms));
  }
}

std::string mean_words(const Breakdown& breakdown) {
  if (breakdown.devices > 1) {
    return fmt::format("mean of {} processes x {} GPUs", breakdown.processes, breakdown.devices);
  }
  return breakdown.processes > 1 ? fmt::format("mean of {} processes", breakdown.processes)
                                 : "one process";
}

void put_breakdown(Screen& screen, const RunResult& result) {
  const Breakdown breakdown = break_down(result);
  if (!breakdown.known) return;
  const std::string note = trace_note(result, breakdown);
  const std::size_t note_lines =
      note.empty() ? 0 : wrap(note, screen.width() - kNoteIndent, screen.unicode()).size();
  const std::size_t used = screen.lines() + kFrameLines + note_lines;
  static constexpr std::size_t kScreen = kFirstScreenLines;
  const RowPlan plan = plan_rows(breakdown, kScreen > used ? kScreen - used : 0);
  const bool compared = breakdown.base_idle_ms.has_value() ||
                        std::ranges::any_of(breakdown.families, [](const FamilyRow& row) {
                          return row.base_ms.has_value();
                        });
  screen.blank();
  const std::string head = pad_right("where a step goes", kNameColumn) + pad_left("ms", kMsColumn) +
                           pad_left("share", kShareColumn);
  const std::string change = compared ? "vs baseline" : "";
  screen.line(pad_right(head, screen.width() - display_width(change)) + change, Ink::bold);
  put_families(screen, breakdown, plan.families);
  put_idle(screen, breakdown, plan.causes);
  screen.line(pad_right("  = traced step", kNameColumn) +
              pad_left(format_fixed(breakdown.window_ms, 3), kMsColumn) +
              pad_left("100.0 %", kShareColumn) + "  " + mean_words(breakdown));
  if (!note.empty()) screen.labelled("", note, Ink::plain, kNoteIndent);
}

}  // namespace

std::string render_terminal(const RunResult& result, const TerminalStyle& style) {
  Screen screen(style);
  put_story(screen, result, tell(result));
  put_facts(screen, result);
  put_breakdown(screen, result);
  put_details(screen, result);
  return std::move(screen).take();
}

}  // namespace perfgate::render
