#include "reporters/render/ledger_text.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "reporters/render/diagnosis_words.h"
#include "reporters/render/kernel_name.h"
#include "reporters/render/ledger_rows.h"
#include "reporters/render/units.h"

namespace perfgate::render {
namespace {

constexpr std::size_t kNameColumns = 24;
constexpr std::size_t kLeastNumber = 8;
constexpr std::size_t kMostBar = 48;
constexpr std::size_t kLabelIndent = 10;
constexpr std::size_t kLines = 8;
constexpr std::size_t kKernels = 8;
constexpr std::size_t kPlaces = 5;
constexpr std::size_t kGaps = 5;
constexpr std::size_t kNameIndent = 4;

std::string_view plus_minus(const Screen& screen) { return screen.unicode() ? "\u00B1" : "+-"; }

// name, base, head, change, half width
struct Cells {
  std::string name;
  std::string base;
  std::string head;
  std::string change;
  std::string half_width;
};

Cells cells_of(const WaterfallRow& row, int decimals, const Screen& screen) {
  using Kind = WaterfallRow::Kind;
  Cells cells{.name = (row.in_noise ? "~ " : "  ") + printable(row.name, screen.unicode()),
              .base = {},
              .head = {},
              .change = change_text(row.ms.change(), decimals),
              .half_width = {}};
  if (row.ms.half_width) cells.half_width = figure_text(*row.ms.half_width, decimals);
  // What tracing costs and what nobody has are changes alone.
  if (row.kind == Kind::tracing || row.kind == Kind::unattributed) return cells;
  cells.base = figure_text(row.ms.base, decimals);
  cells.head = figure_text(row.ms.head, decimals);
  return cells;
}

struct Layout {
  std::size_t number = kLeastNumber;  ///< of each column of figures
  std::size_t bar = 0;
};

std::string line_of(const Cells& cells, const Layout& layout, bool unicode) {
  std::string line = pad_right(cut_middle(cells.name, kNameColumns - 1, unicode), kNameColumns);
  for (const std::string& figure : {cells.base, cells.head, cells.change, cells.half_width})
    line += pad_left(figure, layout.number);
  return line + "  ";
}

Layout layout_of(std::span<const Cells> rows, const Screen& screen) {
  Layout layout;
  for (const Cells& row : rows) {
    for (const std::string* figure : {&row.base, &row.head, &row.change, &row.half_width})
      layout.number = std::max(layout.number, figure->size() + 1);
  }
  const std::size_t fixed = kNameColumns + 4 * layout.number + 2;
  layout.bar = screen.width() > fixed ? std::min(screen.width() - fixed, kMostBar) : 0;
  return layout;
}

// Blanks up to where the bar starts, and the bar. A change that is too small for a cell is a mark.
struct Drawn {
  std::string before;
  std::string bar;
};
Drawn draw(const WaterfallRow& row, const Waterfall& waterfall, std::size_t cells, bool unicode) {
  const double span = waterfall.high_ms - waterfall.low_ms;
  if (cells == 0 || !waterfall.drawn || row.start_ms == row.end_ms || !(span > 0.0) ||
      !std::isfinite(span))
    return {};
  const auto cell = [&](double ms) {
    const double share = std::clamp((ms - waterfall.low_ms) / span, 0.0, 1.0);
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(cells)));
  };
  const bool slower = row.end_ms > row.start_ms;
  const std::size_t from = cell(std::min(row.start_ms, row.end_ms));
  const std::size_t to = cell(std::max(row.start_ms, row.end_ms));
  Drawn out;
  if (from == to) {
    out.before = std::string(std::min(from, cells - 1), ' ');
    out.bar = unicode ? "\u258F" : ".";
    return out;
  }
  out.before = std::string(from, ' ');
  const std::string_view block = unicode ? (slower ? "\u2588" : "\u2591") : (slower ? "#" : "-");
  for (std::size_t i = from; i < to; ++i) out.bar += block;
  return out;
}

Ink ink_of(const WaterfallRow& row) {
  if (row.kind == WaterfallRow::Kind::step) return Ink::bold;
  return row.end_ms > row.start_ms ? Ink::yellow : Ink::green;
}

bool is_quiet(const WaterfallRow& row) {
  return row.in_noise || row.kind == WaterfallRow::Kind::folded;
}

void put_rows(Screen& screen, const Waterfall& waterfall) {
  std::vector<Cells> cells;
  cells.push_back({.name = "ms a step",
                   .base = "base",
                   .head = "head",
                   .change = "change",
                   .half_width = std::string(plus_minus(screen))});
  for (const WaterfallRow& row : waterfall.rows)
    cells.push_back(cells_of(row, waterfall.decimals, screen));
  const Layout layout = layout_of(std::span(cells).subspan(1), screen);
  screen.line(line_of(cells.front(), layout, screen.unicode()), Ink::bold);
  for (std::size_t i = 0; i < waterfall.rows.size(); ++i) {
    const WaterfallRow& row = waterfall.rows[i];
    const Drawn drawn = draw(row, waterfall, layout.bar, screen.unicode());
    const std::string before = line_of(cells[i + 1], layout, screen.unicode()) + drawn.before;
    if (is_quiet(row)) {
      screen.line(before + drawn.bar, Ink::dim);
    } else {
      screen.three(before, drawn.bar, ink_of(row), "");
    }
  }
}

void put_legend(Screen& screen, const Waterfall& waterfall) {
  std::vector<std::string> words;
  if (waterfall.any_in_noise) words.emplace_back("~ within noise");
  if (waterfall.any_unmeasured) {
    words.push_back(
        fmt::format("without {}: too few processes or runs to tell noise", plus_minus(screen)));
  }
  if (!words.empty()) screen.line(fmt::format("  {}", fmt::join(words, "; ")), Ink::dim);
}

// Some text beside a fact that may be missing.
void put_fact(Screen& screen, std::string_view label, const std::string& text) {
  if (!text.empty()) screen.labelled(label, text, Ink::bold, kLabelIndent, kLines);
}

// Both kernels on one line, each in half of it.
std::string two_kernels(std::string_view first, std::string_view second, const Screen& screen) {
  const std::string_view arrow = screen.unicode() ? " \u2192 " : " -> ";
  const std::size_t half = (screen.width() - kNameIndent - display_width(arrow)) / 2;
  return short_kernel_name(first, half, screen.unicode())
      .append(arrow)
      .append(short_kernel_name(second, half, screen.unicode()));
}

// "  slower       +0.041 ms  ": what happened, and how much it is.
std::string change_start(std::string_view what, double change_ms, int decimals) {
  return fmt::format("  {}{} ms  ", pad_right(std::string(what), 12),
                     pad_left(change_text(change_ms, decimals), kLeastNumber));
}

void put_indented(Screen& screen, const std::string& text) {
  screen.line(std::string(kNameIndent, ' ') + text);
}

// On a line each where another kernel runs: often a template argument alone tells them apart.
void put_names(Screen& screen, const KernelChange& kernel) {
  const std::string& base = kernel.base.name;
  const std::string& head = kernel.head.name;
  const std::string_view arrow = screen.unicode() ? "\u2192 " : "-> ";
  const auto name = [&](const std::string& whole, std::size_t taken) {
    return short_kernel_name(whole, screen.width() - kNameIndent - taken, screen.unicode());
  };
  const bool both = !base.empty() && !head.empty() && base != head;
  put_indented(screen, name(base.empty() ? head : base, 0));
  if (both) put_indented(screen, std::string(arrow) + name(head, display_width(arrow)));
}

void put_kernel(Screen& screen, const KernelChange& kernel, int decimals) {
  screen.line(change_start(fate_word(kernel.fate), kernel.change_ms(), decimals) +
              fmt::format("{}, {} each", calls_words(kernel), median_words(kernel)));
  put_names(screen, kernel);
  const std::string place = place_words(kernel);
  const std::string launch = launch_words(kernel);
  std::string more = place.empty() ? "" : "in " + place;
  if (!launch.empty()) more += (more.empty() ? "" : "; ") + launch;
  if (!more.empty()) screen.labelled("", more, Ink::plain, kNameIndent, kLines);
}

void put_kernels(Screen& screen, const LedgerRow& row, int decimals) {
  const std::vector<const KernelChange*> kernels = changed_kernels(row);
  double rest_ms = 0.0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (i < kKernels) {
      put_kernel(screen, *kernels[i], decimals);
    } else {
      rest_ms += kernels[i]->change_ms();
    }
  }
  if (kernels.size() > kKernels) {
    screen.line(fmt::format("  {} more kernel{} {} ms", kernels.size() - kKernels,
                            kernels.size() - kKernels == 1 ? "" : "s",
                            change_text(rest_ms, decimals)));
  }
}

void put_places(Screen& screen, const LedgerRow& row, int decimals) {
  for (const PlaceChange& place : large_places(row, kPlaces)) {
    screen.line(change_start("place", place.head_ms - place.base_ms, decimals) +
                fmt::format("{} -> {}", figure_text(place.base_ms, decimals),
                            figure_text(place.head_ms, decimals)));
    put_indented(screen, cut_middle(printable(place.place, screen.unicode()),
                                    screen.width() - kNameIndent, screen.unicode()));
  }
}

void put_gaps(Screen& screen, const LedgerRow& row, int decimals) {
  for (const GapChange& gap : large_gaps(row, kGaps)) {
    const std::string where =
        gap.host_range.empty() ? "" : ", host in " + printable(gap.host_range, screen.unicode());
    screen.line(change_start("gaps", gap.head_ms - gap.base_ms, decimals) +
                fmt::format("{} -> {} a step{}", format_count(gap.base_count),
                            format_count(gap.head_count), where));
    put_indented(screen, two_kernels(gap.before, gap.after, screen));
  }
}

}  // namespace

void put_diagnosis(Screen& screen, std::span<const Diagnosis> diagnosis) {
  std::string_view label = "why";
  const auto listed = diagnosis.first(std::min(diagnosis.size(), kCausesShown));
  for (const Diagnosis& one : listed) {
    screen.labelled(label, diagnosis_words(one), Ink::bold, 9, 2 * kLines);
    label = "and";
  }
  if (const std::string more = more_words(diagnosis.size(), listed.size(), "cause"); !more.empty())
    screen.labelled("", more, Ink::bold, 9, kLines);
}

void put_waterfall(Screen& screen, const Ledger& ledger) {
  const Waterfall waterfall = waterfall_of(ledger);
  screen.blank();
  screen.labelled("where the change went:", ledger_headline(ledger, plus_minus(screen)));
  put_rows(screen, waterfall);
  put_legend(screen, waterfall);
  if (const std::string problem = problem_sentence(ledger); !problem.empty())
    screen.paragraph(problem, Ink::yellow);
  put_fact(screen, "work", work_sentence(ledger));
  put_fact(screen, "counts", counts_sentence(ledger));
  put_fact(screen, "clocks", clocks_sentence(ledger));
  put_fact(screen, "out of", sides_sentence(ledger));
}

void put_ledger_details(Screen& screen, const Ledger& ledger) {
  if (keeps_no_kernels(ledger)) {
    screen.blank();
    screen.paragraph(kNoKernels, Ink::plain);
  }
  const int decimals = waterfall_of(ledger).decimals;
  for (const LedgerRow* row : shown_rows(ledger)) {
    if (changed_kernels(*row).empty() && large_places(*row, 1).empty() &&
        large_gaps(*row, 1).empty())
      continue;
    screen.heading(
        fmt::format("{} {} ms", row_name(*row), change_text(row->ms.change(), decimals)));
    put_kernels(screen, *row, decimals);
    put_places(screen, *row, decimals);
    put_gaps(screen, *row, decimals);
  }
}

}  // namespace perfgate::render
