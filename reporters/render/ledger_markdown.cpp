#include "reporters/render/ledger_markdown.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reporters/render/diagnosis_words.h"
#include "reporters/render/display_text.h"
#include "reporters/render/ledger_rows.h"
#include "reporters/render/markdown_escape.h"
#include "reporters/render/markdown_parts.h"
#include "reporters/render/units.h"

namespace perfgate::render {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::string_view kPlusMinus = "\u00B1";

std::vector<std::string> cells_of(const WaterfallRow& row, int decimals) {
  using Kind = WaterfallRow::Kind;
  const bool both = row.kind != Kind::tracing && row.kind != Kind::unattributed;
  return {
      row.name + (row.in_noise ? " (within noise)" : ""),
      both ? figure_text(row.ms.base, decimals) : "",
      both ? figure_text(row.ms.head, decimals) : "", change_text(row.ms.change(), decimals),
      row.ms.half_width ? std::string(kPlusMinus) + figure_text(*row.ms.half_width, decimals) : ""};
}

Rows waterfall_rows(const Waterfall& waterfall) {
  Rows rows;
  for (const WaterfallRow& row : waterfall.rows) rows.push_back(cells_of(row, waterfall.decimals));
  return rows;
}

std::string fact(std::string_view label, const std::string& text) {
  return text.empty() ? "" : fmt::format("- {}: {}\n", label, markdown_prose(text));
}

// The name, and another one that runs in its place.
std::pair<std::string, std::string> names_of(const KernelChange& kernel) {
  const std::string& base = kernel.base.name;
  const std::string& head = kernel.head.name;
  if (base.empty() || head.empty() || base == head) return {base.empty() ? head : base, ""};
  return {base, head};
}

std::string kernels_table(const LedgerRow& row, std::size_t most, int decimals) {
  static constexpr std::array<MarkdownColumn, 8> kColumns{{{"What"},
                                                           {"Kernel", false, true},
                                                           {"Now", false, true},
                                                           {"In", false, true},
                                                           {"ms a step", true},
                                                           {"Calls a step", true},
                                                           {"Each", true},
                                                           {"Launch and code"}}};
  Rows rows;
  const std::vector<const KernelChange*> kernels = changed_kernels(row);
  for (const KernelChange* kernel : kernels) {
    if (rows.size() == most) break;
    auto [name, now] = names_of(*kernel);
    rows.push_back({fate_word(kernel->fate), std::move(name), std::move(now), place_words(*kernel),
                    change_text(kernel->change_ms(), decimals), calls_words(*kernel),
                    median_words(*kernel), launch_words(*kernel)});
  }
  if (rows.empty()) return {};
  std::string out = markdown_table(kColumns, rows);
  if (kernels.size() > rows.size())
    out += fmt::format("\n{} more kernel{} changed.\n", kernels.size() - rows.size(),
                       kernels.size() - rows.size() == 1 ? "" : "s");
  return out;
}

std::string places_table(const LedgerRow& row, std::size_t most, int decimals) {
  static constexpr std::array<MarkdownColumn, 4> kColumns{
      {{"Place", false, true}, {"base ms", true}, {"head ms", true}, {"change ms", true}}};
  Rows rows;
  for (const PlaceChange& place : large_places(row, most)) {
    rows.push_back({place.place, figure_text(place.base_ms, decimals),
                    figure_text(place.head_ms, decimals),
                    change_text(place.head_ms - place.base_ms, decimals)});
  }
  return rows.empty() ? "" : markdown_table(kColumns, rows);
}

std::string gaps_table(const LedgerRow& row, std::size_t most, int decimals) {
  static constexpr std::array<MarkdownColumn, 5> kColumns{{{"After", false, true},
                                                           {"Before", false, true},
                                                           {"Host in", false, true},
                                                           {"change ms", true},
                                                           {"Gaps a step", true}}};
  Rows rows;
  for (const GapChange& gap : large_gaps(row, most)) {
    rows.push_back(
        {gap.before, gap.after, gap.host_range, change_text(gap.head_ms - gap.base_ms, decimals),
         fmt::format("{} -> {}", format_count(gap.base_count), format_count(gap.head_count))});
  }
  return rows.empty() ? "" : markdown_table(kColumns, rows);
}

}  // namespace

std::string markdown_diagnosis(std::span<const Diagnosis> diagnosis) {
  std::string out;
  const auto listed = diagnosis.first(std::min(diagnosis.size(), kCausesShown));
  for (const Diagnosis& one : listed) {
    out += "- " + markdown_item(diagnosis_title(one)) + "\n";
    for (const std::string& sentence : listed_evidence(one))
      out += "  - " + markdown_item(cut_end(sentence, kMarkdownTextColumns, true)) + "\n";
    if (!one.lever.empty()) out += "  - Lever: " + markdown_prose(one.lever) + "\n";
  }
  const std::string more = more_words(diagnosis.size(), listed.size(), "cause");
  return more.empty() ? out : out + "- " + more + "\n";
}

std::string markdown_waterfall(const Ledger& ledger, std::size_t most) {
  static constexpr std::array<MarkdownColumn, 5> kColumns{
      {{"Part"}, {"base ms", true}, {"head ms", true}, {"change ms", true}, {"", true}}};
  const Waterfall waterfall = waterfall_of(ledger, most);
  const Rows rows = waterfall_rows(waterfall);
  std::string out = fmt::format("\nWhere the change went: {}.\n\n",
                                markdown_prose(ledger_headline(ledger, kPlusMinus)));
  out += markdown_table(kColumns, rows) + "\n";
  if (waterfall.any_unmeasured) {
    out += fmt::format("- without {}: too few processes or runs to tell noise\n", kPlusMinus);
  }
  const std::string problem = problem_sentence(ledger);
  if (!problem.empty()) out += "- " + markdown_prose(problem) + "\n";
  out += fact("Work", work_sentence(ledger)) + fact("Counts", counts_sentence(ledger)) +
         fact("Clocks", clocks_sentence(ledger));
  return out + fact("Out of", sides_sentence(ledger));
}

std::string markdown_ledger_details(const Ledger& ledger, std::size_t most) {
  const int decimals = waterfall_of(ledger).decimals;
  std::string out = keeps_no_kernels(ledger) ? fmt::format("\n{}.\n", kNoKernels) : "";
  for (const LedgerRow* row : shown_rows(ledger)) {
    std::string body;
    for (const std::string& table :
         {kernels_table(*row, most, decimals), places_table(*row, most, decimals),
          gaps_table(*row, most, decimals)}) {
      if (!table.empty()) body += (body.empty() ? "" : "\n") + table;
    }
    out += markdown_folded(fmt::format("{} {} ms", markdown_prose(row_name(*row)),
                                       change_text(row->ms.change(), decimals)),
                           body);
  }
  return out;
}

}  // namespace perfgate::render
