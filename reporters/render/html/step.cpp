#include "reporters/render/html/step.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reporters/render/html/markup.h"
#include "reporters/render/summary_lines.h"
#include "reporters/render/units.h"

namespace perfgate::render::html {
namespace {

using enum Column::Kind;

std::string change_cell(double ms, const std::optional<double>& base_ms) {
  return base_ms ? format_change_ms(ms - *base_ms) : "";
}

TableRow part_row(const std::string& label, double ms, double share, std::string_view ink,
                  const std::string& pieces, const std::string& change) {
  return {.cells = {{.content = label},
                    {.content = format_fixed(ms, 3)},
                    {.content = change},
                    {.content = format_share(share)},
                    {.content = ink.empty() ? std::string() : share_bar(share, ink)},
                    {.content = pieces}}};
}

Table step_table(const Breakdown& breakdown) {
  static constexpr std::array<Column, 6> kColumns{{{"Part", tag},
                                                   {"ms a step", number},
                                                   {"vs baseline", number},
                                                   {"Share", number},
                                                   {"", markup},
                                                   {"Pieces a step", number}}};
  Table table{.label = "Where a step goes", .columns = kColumns, .rows = {}};
  for (const FamilyRow& row : breakdown.families) {
    const std::string_view ink = family_ink(row.family);
    table.rows.push_back(part_row(swatch(ink) + escaped(row.family), row.ms_per_step, row.share,
                                  ink, format_count(row.operations_per_step),
                                  change_cell(row.ms_per_step, row.base_ms)));
  }
  table.rows.push_back(part_row("idle", breakdown.idle_ms, breakdown.idle_ms / breakdown.window_ms,
                                {}, format_count(breakdown.gaps_per_step),
                                change_cell(breakdown.idle_ms, breakdown.base_idle_ms)));
  for (const IdleRow& row : breakdown.idle) {
    const std::string_view ink = idle_ink(row.cause);
    table.rows.push_back(part_row(swatch(ink) + escaped(to_string(row.cause)), row.ms_per_step,
                                  row.share, ink, format_count(row.pieces_per_step),
                                  change_cell(row.ms_per_step, row.base_ms)));
    table.rows.back().tone = "sub";
  }
  table.rows.push_back(part_row("traced step", breakdown.window_ms, 1.0, {}, "", ""));
  table.rows.back().tone = "strong";
  return table;
}

}  // namespace

std::string_view family_ink(std::string_view family) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kInks{
      {{"gemm", "f0"},
       {"attention", "f1"},
       {"moe", "f2"},
       {"comm", "f7"},
       {"norm", "f3"},
       {"rope_kv", "f5"},
       {"activation", "f4"},
       {"quant", "f6"},
       {"elementwise_copy", "f2"},
       {"elementwise", "f2"},
       {"sampling", "f5"},
       {"conv", "f0"},
       {"memcpy", "f7"},
       {"optimizer", "f6"}}};
  const auto* known = std::ranges::find(kInks, family, &decltype(kInks)::value_type::first);
  return known == kInks.end() ? "fx" : known->second;
}

std::string_view idle_ink(IdleCause cause) {
  switch (cause) {
    case IdleCause::launch_overhead: return "i0";
    case IdleCause::synchronisation: return "i1";
    case IdleCause::host: return "i2";
    case IdleCause::graph_internal: return "i3";
    default: return "ix";
  }
}

std::string step_markup(const RunResult& result, bool charts) {
  const Breakdown breakdown = break_down(result);
  if (!breakdown.known) return {};
  std::string body = paragraph(
      fmt::format("{} = {} busy + {} idle; mean of {} traced process{}{}.",
                  format_milliseconds(breakdown.window_ms, 4),
                  format_milliseconds(breakdown.busy_ms, 4), format_milliseconds(breakdown.idle_ms),
                  breakdown.processes, breakdown.processes == 1 ? "" : "es",
                  breakdown.devices > 1 ? fmt::format(" on {} devices", breakdown.devices) : ""));
  body += paragraph(trace_note(result, breakdown), "quiet");
  if (charts) {
    body += figure("budget", "Families are cool, idle is warm; together they are the traced step.");
  }
  return section("step", "Where a step goes", body + table_markup(step_table(breakdown)));
}

}  // namespace perfgate::render::html
