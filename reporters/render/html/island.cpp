#include "reporters/render/html/island.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "reporters/render/breakdown.h"
#include "reporters/render/display_text.h"
#include "reporters/render/html/change.h"
#include "reporters/render/html/step.h"
#include "reporters/render/kernel_name.h"
#include "reporters/render/ledger_rows.h"
#include "reporters/render/summary_lines.h"
#include "reporters/render/units.h"

namespace perfgate::render::html {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kUsPerNs = 1e-3;
constexpr double kMsPerNs = 1e-6;
constexpr std::size_t kNameColumns = 40;
constexpr std::size_t kMostSites = 20;

// Names are made harmless before they are data: the script only ever puts them into text nodes.
std::string harmless(std::string_view text) { return printable(text, true); }
std::string brief(std::string_view name) {
  return short_kernel_name(printable(name, true), kNameColumns, true);
}

Json part(std::string_view name, std::string_view ink, double ms, double whole_ms) {
  return {{"name", harmless(name)},
          {"ink", ink},
          {"ms", ms},
          {"text", format_fixed(ms, 3) + " ms, " + format_share(ms / whole_ms)}};
}

Json head_bar(const Breakdown& breakdown) {
  Json parts = Json::array();
  for (const FamilyRow& row : breakdown.families) {
    parts.push_back(part(row.family, family_ink(row.family), row.ms_per_step, breakdown.window_ms));
  }
  for (const IdleRow& row : breakdown.idle) {
    parts.push_back(part("idle " + std::string(to_string(row.cause)), idle_ink(row.cause),
                         row.ms_per_step, breakdown.window_ms));
  }
  return {{"side", "head"},
          {"summary",
           fmt::format("traced step {} ms: {} ms busy, {} ms idle",
                       format_fixed(breakdown.window_ms, 3), format_fixed(breakdown.busy_ms, 3),
                       format_fixed(breakdown.idle_ms, 3))},
          {"parts", parts}};
}

std::string_view ink_of(const LedgerRow& row) {
  if (row.part == LedgerPart::family) return family_ink(row.name);
  const auto cause = idle_cause_from_string(row.name);
  return cause.ok() ? idle_ink(cause.value()) : "ix";
}

// The base as the ledger has it, in the order of the head's bar; what only the base has comes last.
std::optional<Json> base_bar(const Ledger& ledger, const Json& head) {
  std::vector<const LedgerRow*> rows;
  double whole = 0.0;
  for (const LedgerRow& row : ledger.rows) {
    if (row.part != LedgerPart::family && row.part != LedgerPart::idle) continue;
    if (!(row.ms.base > 0.0)) continue;
    rows.push_back(&row);
    whole += row.ms.base;
  }
  if (rows.empty()) return std::nullopt;
  const auto place = [&](const LedgerRow* row) {
    const Json& parts = head["parts"];
    const auto it = std::ranges::find_if(
        parts, [&](const Json& each) { return each["name"] == harmless(row_name(*row)); });
    return std::distance(parts.begin(), it);
  };
  std::ranges::stable_sort(
      rows, [&](const LedgerRow* a, const LedgerRow* b) { return place(a) < place(b); });
  Json parts = Json::array();
  for (const LedgerRow* row : rows) {
    parts.push_back(part(row_name(*row), ink_of(*row), row->ms.base, whole));
  }
  return Json{{"side", "base"},
              {"summary", "base, traced, " + format_fixed(whole, 3) + " ms"},
              {"parts", parts}};
}

Json budget(const RunResult& result) {
  const Breakdown breakdown = break_down(result);
  if (!breakdown.known) return nullptr;
  Json head = head_bar(breakdown);
  Json bars = Json::array();
  if (result.ledger) {
    if (auto base = base_bar(*result.ledger, head)) bars.push_back(std::move(*base));
  }
  bars.push_back(std::move(head));
  Json out{{"bars", bars}};
  const MetricValue* step = find_metric(result, "step_time_p50");
  if (step != nullptr && step->unit == "ms" && step->value > 0.0) {
    out["untraced"] = {{"ms", step->value},
                       {"text", "untraced " + format_fixed(step->value, 3) + " ms"}};
  }
  return out;
}

Json ledger(const RunResult& result) {
  if (!result.ledger || result.ledger->rows.empty()) return nullptr;
  const Ledger& from = *result.ledger;
  const auto end = [](double ms) { return Json{{"ms", ms}, {"text", format_fixed(ms, 3)}}; };
  Json rows = Json::array();
  for (const LedgerRow* listed : listed_rows(from)) {
    const LedgerRow& row = *listed;
    const std::string_view noise = row.ms.within_noise()   ? ", within noise"
                                   : row.ms.beyond_noise() ? ""
                                                           : ", noise not known";
    rows.push_back({{"key", fmt::format("{}/{}", rows.size(), harmless(row.name))},
                    {"name", harmless(row_name(row))},
                    {"part", to_string(row.part)},
                    {"change", row.ms.change()},
                    {"noise", !row.ms.beyond_noise()},
                    {"short", change_text(row.ms.change(), 3)},
                    {"text", ledger_change(row.ms)},
                    {"detail", fmt::format("{} to {} ms{}", format_fixed(row.ms.base, 3),
                                           format_fixed(row.ms.head, 3), noise)}});
  }
  return {{"summary", ledger_summary(from)},
          {"base", end(from.step.base)},
          {"head", end(from.step.head)},
          {"rows", rows}};
}

Json gap_point(std::string_view kind, std::string name, std::string_view ink, double length_ns,
               double count, double ms) {
  return {
      {"kind", kind},
      {"name", std::move(name)},
      {"ink", ink},
      {"us", length_ns * kUsPerNs},
      {"count", count},
      {"ms", ms},
      {"total", format_milliseconds(ms)},
      {"text", fmt::format("{} of {}, {} a step", format_count(count),
                           format_milliseconds(length_ns * kMsPerNs), format_milliseconds(ms))}};
}

Json gaps(const RunResult& result) {
  const TracedProcess* process = shown_process(result);
  if (process == nullptr) return nullptr;
  const DeviceWindow& device = process->devices.front();
  const auto steps = static_cast<double>(std::max<std::int64_t>(device.steps, 1));
  Json points = Json::array();
  for (const IdleTime& idle : device.idle) {
    if (idle.pieces <= 0 || idle.median_ns <= 0) continue;
    points.push_back(gap_point("cause", std::string(to_string(idle.cause)), idle_ink(idle.cause),
                               static_cast<double>(idle.median_ns),
                               static_cast<double>(idle.pieces) / steps,
                               static_cast<double>(idle.total_ns) / steps * kMsPerNs));
  }
  if (points.empty()) return nullptr;
  for (std::size_t i = 0; i < std::min(device.gap_sites.size(), kMostSites); ++i) {
    const GapSite& site = device.gap_sites[i];
    if (site.count <= 0 || site.total_ns <= 0) continue;
    const auto total = static_cast<double>(site.total_ns);
    const auto count = static_cast<double>(site.count);
    points.push_back(gap_point("site", brief(site.before) + "\nthen " + brief(site.after),
                               idle_ink(site.cause), total / count, count / steps,
                               total / steps * kMsPerNs));
  }
  return {{"summary", "Idle causes by median length and number of their gaps"}, {"points", points}};
}

Json roofline(const RunResult& result) {
  const auto& floor = result.analysis.floor;
  if (!floor || !(floor->intensity_flop_per_byte > 0.0) || !(floor->achieved_flop_per_s > 0.0)) {
    return nullptr;
  }
  const auto number = [](const std::optional<double>& value) {
    return value && *value > 0.0 ? Json(*value) : Json(nullptr);
  };
  Json against = Json::array();
  for (const FloorResult::Against& each : floor->against) {
    if (!each.ceiling.bandwidth_bytes_per_s && !each.ceiling.rate_flop_per_s) continue;
    against.push_back({{"source", harmless(each.ceiling.source)},
                       {"bandwidth", number(each.ceiling.bandwidth_bytes_per_s)},
                       {"rate", number(each.ceiling.rate_flop_per_s)},
                       {"text", fmt::format("{}\nfloor {}", harmless(each.ceiling.source),
                                            format_milliseconds(each.floor_ms))}});
  }
  if (against.empty()) return nullptr;
  return {{"summary", floor_line(result)},
          {"intensity", floor->intensity_flop_per_byte},
          {"achieved",
           {{"y", floor->achieved_flop_per_s},
            {"text", fmt::format("{}\n{} % of the floor's speed",
                                 format_flops_per_s(floor->achieved_flop_per_s),
                                 format_fixed(floor->against.front().percent_of_floor, 1))}}},
          {"against", against}};
}

Json processes(const RunResult& result) {
  Json points = Json::array();
  for (const ProcessRecord& process : result.measurement.processes) {
    const auto summary = step_summary(process);
    if (process.role != ProcessRole::timing || !summary || !(summary->median_ms > 0.0)) continue;
    const std::string_view arm = to_string(process.arm);
    points.push_back({{"order", process.index},
                      {"arm", arm},
                      {"ms", summary->median_ms},
                      {"used", process.state == ProcessState::ok && !process.repeated},
                      {"text", fmt::format("process {}{}: {}", process.index,
                                           result.base_arm ? fmt::format(", {}", arm) : "",
                                           format_value(summary->median_ms, "ms"))}});
  }
  if (points.size() < 2) return nullptr;
  Json out{{"summary", step_line(result)}, {"points", points}};
  const Comparison* row = find_comparison(result, "step_time_p50");
  if (row != nullptr && row->n_base > 0 && row->unit == "ms" && row->base > 0.0) {
    const std::string what = result.base_arm ? "base " : "baseline ";
    out["baseline"] = {{"at", row->base},
                       {"low", row->base * (1.0 - row->margin_ratio)},
                       {"high", row->base * (1.0 + row->margin_ratio)},
                       {"text", what + format_value(row->base, row->unit)}};
  }
  return out;
}

}  // namespace

std::string island_json(const RunResult& result) {
  const Json island{{"budget", budget(result)},
                    {"ledger", ledger(result)},
                    {"gaps", gaps(result)},
                    {"roofline", roofline(result)},
                    {"processes", processes(result)}};
  std::string out;
  for (const char c : island.dump(-1, ' ', true, Json::error_handler_t::replace)) {
    switch (c) {
      case '<': out += "\\u003c"; break;
      case '>': out += "\\u003e"; break;
      case '&': out += "\\u0026"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace perfgate::render::html
