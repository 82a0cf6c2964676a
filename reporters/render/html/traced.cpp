// The tables of one traced process: idle causes, gap sites, ranges, kernels.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "reporters/render/detail_rows.h"
#include "reporters/render/html/markup.h"
#include "reporters/render/html/step.h"
#include "reporters/render/units.h"

namespace perfgate::render::html {
namespace {

using enum Column::Kind;

constexpr double kMsPerNs = 1e-6;
// A page of more kernels is slow to open, and the rest is too short to matter.
constexpr std::size_t kMostKernels = 2000;
constexpr std::size_t kMostRanges = 300;

double steps_of(const DeviceWindow& device) {
  return static_cast<double>(std::max<std::int64_t>(device.steps, 1));
}

std::string duration(double ns) { return format_milliseconds(ns * kMsPerNs); }

std::string where(const TracedProcess& process, const DeviceWindow& device) {
  return fmt::format("Process {}, {}, {} steps.", process.process,
                     device.name.empty() ? device.uuid : device.name,
                     format_count(static_cast<double>(device.steps)));
}

std::string causes_table(const DeviceWindow& device) {
  static constexpr std::array<Column, 5> kColumns{{{"Idle cause", tag},
                                                   {"A step", number},
                                                   {"Gaps a step", number},
                                                   {"Median gap", number},
                                                   {"Mean gap", number}}};
  Table table{.label = "Idle by cause", .columns = kColumns, .rows = {}};
  for (const IdleTime& idle : device.idle) {
    if (idle.pieces <= 0) continue;
    const auto total = static_cast<double>(idle.total_ns);
    const auto pieces = static_cast<double>(idle.pieces);
    table.rows.push_back(
        {.cells = {{.content = swatch(idle_ink(idle.cause)) + escaped(to_string(idle.cause))},
                   {.content = duration(total / steps_of(device))},
                   {.content = format_count(pieces / steps_of(device))},
                   {.content = duration(static_cast<double>(idle.median_ns))},
                   {.content = duration(total / pieces)}}});
  }
  return table_markup(table);
}

std::string sites_table(const DeviceWindow& device) {
  static constexpr std::array<Column, 7> kColumns{{{"Cause", tag},
                                                   {"A step", number},
                                                   {"Gaps a step", number},
                                                   {"Mean gap", number},
                                                   {"After", name},
                                                   {"Before", name},
                                                   {"Host in", name}}};
  Table table{.label = "Largest gap sites", .columns = kColumns, .rows = {}};
  for (const GapSite& site : device.gap_sites) {
    const auto total = static_cast<double>(site.total_ns);
    const auto count = static_cast<double>(std::max<std::int64_t>(site.count, 1));
    table.rows.push_back(
        {.cells = {{.content = swatch(idle_ink(site.cause)) + escaped(to_string(site.cause))},
                   {.content = duration(total / steps_of(device))},
                   {.content = format_count(count / steps_of(device))},
                   {.content = duration(total / count)},
                   {.content = site.before},
                   {.content = site.after},
                   {.content = site.host_range}}});
  }
  return table_markup(table);
}

std::string ranges_table(const DeviceWindow& device) {
  static constexpr std::array<Column, 4> kColumns{
      {{"Range", name}, {"Times a step", number}, {"GPU a step", number}, {"Operations", number}}};
  Table table{.label = "Ranges", .columns = kColumns, .rows = {}};
  for (const Row& row : range_rows(device, kMostRanges)) table.rows.push_back(plain_row(row));
  return table_markup(table);
}

// What a launch takes, behind its grid and block.
std::string resources(const KernelStat& kernel) {
  if (kernel.registers_per_thread == 0 && kernel.shared_bytes == 0) return {};
  return fmt::format("{} / {}", kernel.registers_per_thread, format_bytes(kernel.shared_bytes));
}

TableRow kernel_row(const KernelStat& kernel, const DeviceWindow& device) {
  const double steps = steps_of(device);
  const auto total = static_cast<double>(kernel.total_ns) / steps;
  const auto calls = static_cast<double>(kernel.calls) / steps;
  const double threads = static_cast<double>(kernel.grid[0]) * kernel.grid[1] * kernel.grid[2] *
                         kernel.block[0] * kernel.block[1] * kernel.block[2];
  const double busy = static_cast<double>(device.busy_ns) / steps;
  const double share = busy > 0.0 ? total / busy : 0.0;
  return {.cells = {{.content = kernel.name},
                    {.content = swatch(family_ink(kernel.family)) + escaped(kernel.family)},
                    {.content = duration(total), .value = total},
                    {.content = format_share(share), .value = share},
                    {.content = format_count(calls), .value = calls},
                    {.content = duration(static_cast<double>(kernel.median_ns)),
                     .value = static_cast<double>(kernel.median_ns)},
                    {.content = duration(static_cast<double>(kernel.min_ns)) + " to " +
                                duration(static_cast<double>(kernel.max_ns)),
                     .value = static_cast<double>(kernel.max_ns)},
                    {.content = launch_shape(kernel), .value = threads},
                    {.content = resources(kernel),
                     .value = static_cast<double>(kernel.registers_per_thread)}}};
}

std::string kernels_table(const DeviceWindow& device) {
  static constexpr std::array<Column, 9> kColumns{{{"Kernel", name},
                                                   {"Family", tag},
                                                   {"A step", number},
                                                   {"Of busy", number},
                                                   {"Calls a step", number},
                                                   {"Median", number},
                                                   {"Shortest to longest", number},
                                                   {"Blocks x threads", number},
                                                   {"Registers / shared", number}}};
  Table table{.label = "Kernels", .columns = kColumns, .rows = {}, .sortable = true};
  for (const KernelStat& kernel : device.kernels) {
    if (table.rows.size() == kMostKernels) break;
    table.rows.push_back(kernel_row(kernel, device));
  }
  return table_markup(table);
}

}  // namespace

std::string gaps_markup(const RunResult& result, bool charts) {
  const TracedProcess* process = shown_process(result);
  if (process == nullptr) return {};
  std::string body;
  for (const DeviceWindow& device : process->devices) {
    const std::string causes = causes_table(device);
    if (causes.empty()) continue;
    body += paragraph(where(*process, device), "quiet");
    if (charts && &device == &process->devices.front()) {
      body += figure("gaps",
                     "Circle: a cause, at the median length of its gaps. Square: a pair of "
                     "kernels, at the mean of theirs. Area: time a step. A result keeps these "
                     "totals and no single lengths, so this is no distribution.");
    }
    body += causes;
    const std::string sites = sites_table(device);
    if (!sites.empty()) body += "<h3>Between which kernels</h3>\n" + sites;
  }
  return section("gaps", "Where the GPU waits", body);
}

std::string kernels_markup(const RunResult& result) {
  const TracedProcess* process = shown_process(result);
  if (process == nullptr) return {};
  std::string body;
  for (const DeviceWindow& device : process->devices) {
    const std::string kernels = kernels_table(device);
    const std::string ranges = ranges_table(device);
    if (kernels.empty() && ranges.empty()) continue;
    body += paragraph(where(*process, device), "quiet");
    if (kernels_overlap(device))
      body += paragraph("Note: " + std::string(kOverlapNote) + ".", "quiet");
    if (device.kernels.size() > kMostKernels) {
      body += paragraph(
          fmt::format("The longest {} of {} are listed.", kMostKernels, device.kernels.size()),
          "quiet");
    }
    body += kernels;
    if (!ranges.empty()) body += "<h3>Ranges</h3>\n" + ranges;
  }
  return section("kernels", "Kernels", body);
}

}  // namespace perfgate::render::html
