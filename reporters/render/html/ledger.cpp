#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "reporters/render/html/change.h"
#include "reporters/render/html/markup.h"
#include "reporters/render/ledger_rows.h"
#include "reporters/render/units.h"

namespace perfgate::render::html {
namespace {

using enum Column::Kind;

constexpr int kDecimals = 3;

// What tracing costs, and what nobody knows, is neither better nor worse.
std::string_view tone_of(LedgerPart part, const LedgerChange& change) {
  const bool known = part == LedgerPart::family || part == LedgerPart::idle;
  if (!known || !change.beyond_noise()) return {};
  return change.change() > 0.0 ? "worse" : "better";
}

// The words that the reports share, with an arrow as the page has it.
std::string with_arrows(std::string text) {
  for (std::size_t at = text.find(" -> "); at != std::string::npos; at = text.find(" -> ", at))
    text.replace(at, 4, kArrow);
  return text;
}

std::string interval_words(const LedgerChange& change) {
  if (!change.half_width) return "not known";
  return figure_text(*change.half_width, 3) + (change.within_noise() ? " (noise)" : "");
}

TableRow ledger_row(std::string name, const LedgerChange& ms, std::string_view tone,
                    std::string_view row_tone = {}) {
  return {.cells = {{.content = std::move(name)},
                    {.content = figure_text(ms.base, 3)},
                    {.content = figure_text(ms.head, 3)},
                    {.content = change_text(ms.change(), kDecimals), .tone = tone},
                    {.content = interval_words(ms)}},
          .tone = row_tone};
}

std::string waterfall_table(const Ledger& ledger) {
  static constexpr std::array<Column, 5> kColumns{{{"Part, ms a step", text},
                                                   {"Base", number},
                                                   {"Head", number},
                                                   {"Change", number},
                                                   {"\xC2\xB1 (95 %)", number}}};
  Table table{.label = "Ledger of the step time", .columns = kColumns, .rows = {}};
  const std::vector<const LedgerRow*> listed = listed_rows(ledger);
  for (const LedgerRow* row : listed)
    table.rows.push_back(ledger_row(row_name(*row), row->ms, tone_of(row->part, row->ms)));
  table.rows.push_back(
      ledger_row("untraced step", ledger.step, tone_of(LedgerPart::family, ledger.step), "strong"));
  return table_markup(table) + paragraph(more_words(ledger.rows.size(), listed.size(), "row"));
}

// Of what stands behind a row; an analysis keeps no more.
constexpr std::size_t kMostDetails = 60;
template <typename Change>
std::span<const Change> first_of(const std::vector<Change>& changes) {
  return std::span(changes).first(std::min(changes.size(), kMostDetails));
}
template <typename Change>
std::string rest_of(const std::vector<Change>& changes, std::string_view noun) {
  return paragraph(more_words(changes.size(), kMostDetails, noun));
}

std::string kernel_names(const KernelChange& kernel) {
  const std::string base = name_markup(kernel.base.name);
  std::string head = name_markup(kernel.head.name);
  if (base.empty() || base == head) return head;
  return head.empty() ? base : base + std::string(kArrow) + head;
}

TableRow kernel_row(const KernelChange& kernel) {
  const double change = kernel.change_ms();
  return {.cells = {{.content = kernel_names(kernel)},
                    {.content = fate_word(kernel.fate)},
                    {.content = change_text(change, kDecimals),
                     .tone = change > 0.0 ? "worse" : "better"},
                    {.content = with_arrows(calls_words(kernel))},
                    {.content = with_arrows(median_words(kernel))},
                    {.content = place_words(kernel)},
                    {.content = with_arrows(launch_words(kernel))}}};
}

std::string kernels_table(const LedgerRow& row) {
  static constexpr std::array<Column, 7> kColumns{{{"Kernel", markup},
                                                   {"What", text},
                                                   {"Change, ms", number},
                                                   {"Calls a step", number},
                                                   {"Median", number},
                                                   {"Place", name},
                                                   {"Code and launch", text}}};
  Table table{.label = "Kernels behind a row of the ledger", .columns = kColumns, .rows = {}};
  for (const KernelChange& kernel : first_of(row.kernels)) table.rows.push_back(kernel_row(kernel));
  return table_markup(table) + rest_of(row.kernels, "kernel");
}

std::string places_table(const LedgerRow& row) {
  static constexpr std::array<Column, 4> kColumns{
      {{"Place", name}, {"Base, ms", number}, {"Head, ms", number}, {"Change, ms", number}}};
  Table table{.label = "Places behind a row of the ledger", .columns = kColumns, .rows = {}};
  for (const PlaceChange& place : first_of(row.places)) {
    table.rows.push_back(
        {.cells = {{.content = place.place},
                   {.content = figure_text(place.base_ms, 3)},
                   {.content = figure_text(place.head_ms, 3)},
                   {.content = change_text(place.head_ms - place.base_ms, kDecimals)}}});
  }
  return table_markup(table) + rest_of(row.places, "place");
}

std::string gaps_table(const LedgerRow& row) {
  static constexpr std::array<Column, 6> kColumns{{{"After", name},
                                                   {"Before", name},
                                                   {"Host in", name},
                                                   {"Base, ms", number},
                                                   {"Head, ms", number},
                                                   {"Gaps a step", number}}};
  Table table{.label = "Gaps behind a row of the ledger", .columns = kColumns, .rows = {}};
  for (const GapChange& gap : first_of(row.gaps)) {
    table.rows.push_back({.cells = {{.content = gap.before},
                                    {.content = gap.after},
                                    {.content = gap.host_range},
                                    {.content = figure_text(gap.base_ms, 3)},
                                    {.content = figure_text(gap.head_ms, 3)},
                                    {.content = gap.base_count == gap.head_count
                                                    ? format_count(gap.head_count)
                                                    : format_count(gap.base_count)
                                                          .append(kArrow)
                                                          .append(format_count(gap.head_count))}}});
  }
  return table_markup(table) + rest_of(row.gaps, "gap");
}

// The first rows that have details stand open: they are why the page is read.
constexpr int kOpenDetails = 1;

std::string details_markup(const Ledger& ledger) {
  std::string out;
  int shown = 0;
  for (const LedgerRow* listed : listed_rows(ledger)) {
    const LedgerRow& row = *listed;
    const std::string body = kernels_table(row) + places_table(row) + gaps_table(row);
    if (body.empty()) continue;
    out += fmt::format("<details{}><summary>Behind {}: {} ms</summary>\n{}</details>\n",
                       shown++ < kOpenDetails ? " open" : "", escaped(row_name(row)),
                       escaped(ledger_change(row.ms)), body);
  }
  return out;
}

// The words of the other reports as a sentence of their own.
std::string sentence(std::string words) {
  if (words.empty()) return words;
  if (words.front() >= 'a' && words.front() <= 'z')
    words.front() = static_cast<char>(words.front() - 'a' + 'A');
  return words + '.';
}

// What is counted or read on both sides, where it differs.
std::string sides_table(const Ledger& ledger) {
  static constexpr std::array<Column, 3> kColumns{
      {{"A step, or the machine", name}, {"Base", number}, {"Head", number}}};
  Table table{.label = "What else differs", .columns = kColumns, .rows = {}};
  const auto add = [&](const std::string& what, const std::string& base, const std::string& head) {
    if (base != head) {
      table.rows.push_back({.cells = {{.content = what}, {.content = base}, {.content = head}}});
    }
  };
  const auto reading = [](const std::optional<double>& value, const char* unit) {
    return value ? format_count(std::round(*value)) + unit : std::string("not known");
  };
  for (const auto& [name, head] : ledger.head.counts) {
    const auto base = ledger.base.counts.find(name);
    if (table.rows.size() == kMostDetails) break;
    if (base != ledger.base.counts.end()) add(name, format_count(base->second), format_count(head));
  }
  add("SM clock", reading(ledger.base.sm_clock_mhz, " MHz"),
      reading(ledger.head.sm_clock_mhz, " MHz"));
  add("memory clock", reading(ledger.base.memory_clock_mhz, " MHz"),
      reading(ledger.head.memory_clock_mhz, " MHz"));
  add("power", reading(ledger.base.power_w, " W"), reading(ledger.head.power_w, " W"));
  return table_markup(table);
}

}  // namespace

std::string ledger_change(const LedgerChange& change) {
  std::string out = change_text(change.change(), kDecimals);
  if (change.half_width)
    out += fmt::format(" {}{}", kPlusMinus, figure_text(*change.half_width, 3));
  return out;
}

std::string ledger_summary(const Ledger& ledger) {
  return with_arrows(ledger_headline(ledger, kPlusMinus));
}

std::string ledger_markup(const RunResult& result, bool charts) {
  if (!result.ledger || result.ledger->rows.empty()) return {};
  const Ledger& ledger = *result.ledger;
  std::string body = paragraph(ledger_summary(ledger) + ".");
  if (!ledger.established) {
    body +=
        "<p class=\"worse\"><b>Not established:</b> " + escaped(problem_words(ledger)) + "</p>\n";
  }
  body += paragraph(sentence(work_sentence(ledger)), "quiet");
  if (charts) {
    body +=
        figure("ledger",
               "Each bar starts where the one above ended; grey: not beyond its noise, tracing, or "
               "unattributed. The axis does not begin at 0.");
  }
  body += waterfall_table(ledger) + details_markup(ledger);
  const std::string sides = sides_table(ledger);
  if (!sides.empty()) body += "<h3>What else differs</h3>\n" + sides;
  return section("ledger", "Where the change went", body);
}

}  // namespace perfgate::render::html
