#include "runner/cli/analyze/traced_text.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "reporters/render/table.h"
#include "reporters/render/units.h"
#include "runner/cli/console.h"

namespace perfgate::cli {
namespace {

std::string milliseconds(std::int64_t ns, std::int64_t over) {
  const auto parts = static_cast<double>(std::max<std::int64_t>(over, 1));
  return render::format_milliseconds(static_cast<double>(ns) * 1e-6 / parts);
}

std::string share(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return render::format_share(0.0);
  return render::format_share(static_cast<double>(part) / static_cast<double>(whole));
}

std::string count(std::int64_t value) { return render::format_count(static_cast<double>(value)); }

std::string counted(std::size_t value, const char* noun) {
  return count(static_cast<std::int64_t>(value)) + " " + noun + (value == 1 ? "" : "s");
}

std::string heading(const LoadedTrace& loaded) {
  std::string text = shown(loaded.named);
  if (loaded.process) text += ", process " + std::to_string(*loaded.process);
  if (!loaded.other_processes.empty()) {
    text += " (traced too:";
    for (const int index : loaded.other_processes) text += " " + std::to_string(index);
    text += ")";
  }
  return text + "\n";
}

std::string verdict_lines(const LoadedTrace& loaded) {
  const CaptureVerdict& verdict = loaded.traced.verdict;
  const auto& dropped = loaded.traced.dropped;
  std::string text = "capture " + std::string(to_string(verdict.validity)) + ", records dropped: " +
                     (dropped ? count(static_cast<std::int64_t>(*dropped)) : "unknown") + "\n";
  for (const std::string& reason : verdict.reasons) text += "  " + shown(reason) + "\n";
  return text;
}

std::string record_line(const Capture& capture) {
  return "pid " + std::to_string(capture.pid) + ": " + counted(capture.kernels.size(), "kernel") +
         ", " + count(static_cast<std::int64_t>(capture.copies.size())) + " copies, " +
         counted(capture.memsets.size(), "memset") + ", " +
         counted(capture.api_calls.size(), "API call") + ", " +
         counted(capture.ranges.size(), "NVTX range") + "\n";
}

std::string device_text(const DeviceWindow& device, const render::TerminalStyle& style) {
  std::string text = shown(device.name) + ", " + shown(device.uuid) + "\nwindow " +
                     milliseconds(device.window_ns, 1);
  if (device.steps > 0) {
    text += ", " + counted(static_cast<std::size_t>(device.steps), "step") + " (" +
            device.steps_from + ")";
  }
  text += ", busy " + share(device.busy_ns, device.window_ns) + "\n";
  const std::int64_t over = std::max<std::int64_t>(device.steps, 1);
  std::vector<std::vector<std::string>> rows;
  for (const FamilyTime& family : device.families) {
    rows.push_back({family.family, milliseconds(family.wall_ns, over),
                    share(family.wall_ns, device.window_ns), count(family.count)});
  }
  for (const IdleTime& idle : device.idle) {
    rows.push_back({"idle: " + std::string(to_string(idle.cause)),
                    milliseconds(idle.total_ns, over), share(idle.total_ns, device.window_ns),
                    count(idle.pieces)});
  }
  using Column = render::Column;
  const std::vector<Column> columns{
      {"family or idle cause", Column::Align::left, Column::Cut::end},
      {device.steps > 0 ? "a step" : "in all", Column::Align::right, Column::Cut::none},
      {"of window", Column::Align::right, Column::Cut::none},
      {"number", Column::Align::right, Column::Cut::none}};
  return text + render::render_table(columns, rows, style);
}

Json device_json(const DeviceWindow& device) {
  Json families = Json::array();
  for (const FamilyTime& family : device.families) {
    families.push_back({{"family", family.family},
                        {"wall_ns", family.wall_ns},
                        {"sum_ns", family.sum_ns},
                        {"count", family.count}});
  }
  Json idle = Json::array();
  for (const IdleTime& cause : device.idle) {
    idle.push_back({{"cause", to_string(cause.cause)},
                    {"total_ns", cause.total_ns},
                    {"pieces", cause.pieces},
                    {"median_ns", cause.median_ns}});
  }
  return {{"device", device.name},     {"uuid", device.uuid},   {"window_ns", device.window_ns},
          {"busy_ns", device.busy_ns}, {"steps", device.steps}, {"steps_from", device.steps_from},
          {"families", families},      {"idle", idle}};
}

}  // namespace

std::string traced_text(const LoadedTrace& loaded, const render::TerminalStyle& style) {
  std::string text = heading(loaded) + verdict_lines(loaded);
  for (const Capture& capture : loaded.captures) text += record_line(capture);
  for (const DeviceWindow& device : loaded.traced.devices) text += device_text(device, style);
  return text;
}

Json traced_json(const LoadedTrace& loaded) {
  const TracedProcess& traced = loaded.traced;
  Json devices = Json::array();
  for (const DeviceWindow& device : traced.devices) devices.push_back(device_json(device));
  Json json{{"input", loaded.named},
            {"process", nullptr},
            {"validity", to_string(traced.verdict.validity)},
            {"reasons", traced.verdict.reasons},
            {"dropped", nullptr},
            {"devices", devices}};
  if (loaded.process) json["process"] = *loaded.process;
  if (traced.dropped) json["dropped"] = *traced.dropped;
  return json;
}

}  // namespace perfgate::cli
