#include "reporters/render/html/machine.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "reporters/render/breakdown.h"
#include "reporters/render/detail_rows.h"
#include "reporters/render/html/markup.h"
#include "reporters/render/summary_lines.h"
#include "reporters/render/units.h"

namespace perfgate::render::html {
namespace {

using enum Column::Kind;

std::string or_unknown(const std::optional<double>& value, std::string (*format)(double)) {
  return value ? format(*value) : "not known";
}

std::string ceilings_table(const FloorResult& floor) {
  static constexpr std::array<Column, 6> kColumns{{{"Ceiling", text},
                                                   {"Memory", number},
                                                   {"Arithmetic", number},
                                                   {"Floor", number},
                                                   {"Reached", number},
                                                   {"Bound by", text}}};
  Table table{.label = "Floors", .columns = kColumns, .rows = {}};
  for (const FloorResult::Against& against : floor.against) {
    const std::string& source = against.ceiling.source;
    table.rows.push_back(
        {.cells = {
             {.content = source.empty() ? "source unknown" : source},
             {.content = or_unknown(against.ceiling.bandwidth_bytes_per_s, format_bytes_per_s)},
             {.content = or_unknown(against.ceiling.rate_flop_per_s, format_flops_per_s)},
             {.content = format_milliseconds(against.floor_ms)},
             {.content = format_fixed(against.percent_of_floor, 1) + " %"},
             {.content = against.memory_bound ? "memory" : "arithmetic"}}});
  }
  return table_markup(table);
}

std::string work_line(const FloorResult& floor) {
  std::vector<std::string> parts;
  for (const auto& [name, bytes] : floor.parts_bytes) {
    parts.push_back(name + " " + format_bytes(bytes));
  }
  std::string out = format_bytes(floor.bytes_per_step) + " a step";
  if (!parts.empty()) out += fmt::format(" ({})", fmt::join(parts, ", "));
  out += ", " + format_flops(floor.flops_per_step) + " a step";
  if (!floor.bytes_source.empty()) out += "; from the " + floor.bytes_source;
  return out + fmt::format(". Reached: {}, {}.", format_bytes_per_s(floor.achieved_bytes_per_s),
                           format_flops_per_s(floor.achieved_flop_per_s));
}

std::string state_words(const ProcessRecord& process) {
  std::string out(to_string(process.state));
  if (process.repeated) out += ", repeated";
  if (!process.problem.empty()) out += ": " + process.problem;
  return out;
}

std::string gpu_words(const ProcessRecord& process) {
  const auto& sample = process.after ? process.after : process.before;
  if (!sample) return {};
  std::vector<std::string> words;
  if (sample->sm_clock_mhz) words.push_back(fmt::format("{} MHz", *sample->sm_clock_mhz));
  if (sample->temperature_c) words.push_back(fmt::format("{} C", *sample->temperature_c));
  if (sample->power_mw) words.push_back(fmt::format("{} W", *sample->power_mw / 1000));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string processes_table(const RunResult& result) {
  static constexpr std::array<Column, 7> kColumns{{{"Process", number},
                                                   {"Role", text},
                                                   {"Median step", number},
                                                   {"Steps", number},
                                                   {"Wall", number},
                                                   {"GPU", text},
                                                   {"State", text}}};
  Table table{.label = "Processes", .columns = kColumns, .rows = {}};
  for (const ProcessRecord& process : result.measurement.processes) {
    const auto summary = step_summary(process);
    std::string role(to_string(process.role));
    if (result.base_arm && process.role != ProcessRole::control) {
      role += ", " + std::string(to_string(process.arm));
    }
    table.rows.push_back(
        {.cells = {{.content = std::to_string(process.index)},
                   {.content = role},
                   {.content = summary ? format_value(summary->median_ms, "ms") : ""},
                   {.content = summary ? format_count(static_cast<double>(summary->n)) : ""},
                   {.content = format_value(process.wall_s, "s")},
                   {.content = gpu_words(process)},
                   {.content = state_words(process)}}});
  }
  return table_markup(table);
}

}  // namespace

std::string floor_markup(const RunResult& result, bool charts) {
  const auto& floor = result.analysis.floor;
  if (!floor || floor->against.empty()) return {};
  std::string body = paragraph(floor_line(result) + ".");
  if (charts) {
    body += figure("roofline",
                   "Lines: what memory and arithmetic allow. Full point: this step. Open points: "
                   "its floors, where the step would run at full speed.");
  }
  body += ceilings_table(*floor) + paragraph(work_line(*floor), "quiet small");
  return section("floor", "How far from the floor", body);
}

std::string processes_markup(const RunResult& result, bool charts) {
  if (result.measurement.processes.empty()) return {};
  std::string body = paragraph(step_line(result) + ".");
  if (charts) {
    body +=
        figure("processes",
               "One point is one fresh untraced process, in the order in which they ran; a diamond "
               "is one of the base. Open: not used. Band: the baseline and its margin.");
  }
  body += "<details><summary>All processes</summary>\n" + processes_table(result) + "</details>\n";
  return section("processes", "Median step of each process", body);
}

std::string notes_markup(const RunResult& result) {
  std::string items;
  for (const std::string& line : note_lines(result)) items += "<li>" + escaped(line) + "</li>\n";
  for (const std::string& policy : result.verdict.policies) {
    items += "<li>policy: " + escaped(policy) + "</li>\n";
  }
  return section("notes", "Notes", items.empty() ? "" : "<ul>\n" + items + "</ul>\n");
}

std::string environment_markup(const RunResult& result) {
  static constexpr std::array<Column, 3> kChanges{
      {{"Changed", name}, {"Baseline", name}, {"Now", name}}};
  static constexpr std::array<Column, 2> kFacts{{{"Fact", name}, {"Value", name}}};
  Table changes{.label = "What changed around the run", .columns = kChanges, .rows = {}};
  for (const Row& row : changed_rows(result)) changes.rows.push_back(plain_row(row));
  Table facts{.label = "Facts of the machine and the program", .columns = kFacts, .rows = {}};
  const Fingerprint& fingerprint = result.measurement.fingerprint;
  for (const auto* map : {&fingerprint.environment, &fingerprint.subject, &fingerprint.instance}) {
    for (const auto& [key, value] : *map) {
      facts.rows.push_back({.cells = {{.content = key}, {.content = value}}});
    }
  }
  return section("environment", "Environment", table_markup(changes) + table_markup(facts));
}

}  // namespace perfgate::render::html
