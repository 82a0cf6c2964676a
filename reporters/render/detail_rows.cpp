#include "reporters/render/detail_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "reporters/render/breakdown.h"
#include "reporters/render/sight.h"
#include "reporters/render/story.h"
#include "reporters/render/units.h"
#include "runner/model/median.h"

namespace perfgate::render {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr double kLeastOfIdle = 0.01;
// Rounding aside, kernels that run one after the other sum to the busy time at most.
constexpr double kOverlapFrom = 1.005;

int weight(const Comparison& row) {
  switch (row.outcome) {
    case Outcome::fail: return 0;
    case Outcome::invalid: return 1;
    case Outcome::suspected: return 2;
    case Outcome::not_comparable: return 3;
    case Outcome::inconclusive: return 4;
    case Outcome::no_baseline: return 5;
    case Outcome::pass: break;
  }
  return row.improved ? 6 : 7;
}

std::string per_step_ms(std::int64_t total_ns, const DeviceWindow& device) {
  const auto steps = static_cast<double>(std::max<std::int64_t>(device.steps, 1));
  return format_milliseconds(static_cast<double>(total_ns) / steps / kNsPerMs);
}

std::string per_step_count(std::int64_t count, const DeviceWindow& device) {
  const auto steps = static_cast<double>(std::max<std::int64_t>(device.steps, 1));
  return format_count(static_cast<double>(count) / steps);
}

// Beyond tenfold a factor reads better than per cent.
constexpr double kFactorFrom = 9.0;

std::string change_words(const Comparison& row, ChangeWords how) {
  if (row.kind == MetricKind::counted && std::isfinite(row.head - row.base)) {
    return (row.head > row.base ? "+" : "") + format_count(row.head - row.base);
  }
  const auto factor = [](double ratio) { return "x" + format_significant(ratio + 1.0, 3); };
  const bool large = row.delta_ratio >= kFactorFrom;
  std::string words = large ? factor(row.delta_ratio) : format_change(row.delta_ratio);
  if (!row.interval_known) return words;
  std::string interval = large ? factor(row.ci_low_ratio) + " to " + factor(row.ci_high_ratio)
                               : format_change_interval(row.ci_low_ratio, row.ci_high_ratio);
  static constexpr std::string_view kPercent = " %";
  if (how == ChangeWords::interval) return interval;
  if (how == ChangeWords::one_sign && words.ends_with(kPercent) && interval.ends_with(kPercent)) {
    const auto bare = [](const std::string& text) {
      return text.substr(0, text.size() - kPercent.size());
    };
    return fmt::format("{} ({}){}", bare(words), bare(interval), kPercent);
  }
  return words + " (" + interval + ")";
}

template <typename T>
std::size_t rows_of(const std::vector<T>& items, std::size_t most) {
  return std::min(items.size(), most);
}

// "decode", "decode (70 % of it)": the range of the largest site, and its share of the time.
std::string place_of(const GapSite& joined, const DeviceWindow& device) {
  std::int64_t there_ns = 0;
  for (const GapSite& site : device.gap_sites) {
    const bool same = site.before == joined.before && site.after == joined.after;
    if (same && site.host_range == joined.host_range)
      there_ns = saturated_sum(there_ns, site.total_ns);
  }
  if (there_ns >= joined.total_ns || joined.host_range.empty()) return joined.host_range;
  return fmt::format(
      "{} ({} of it)", joined.host_range,
      format_share(static_cast<double>(there_ns) / static_cast<double>(joined.total_ns)));
}

// Gaps between the same two kernels are one site, whatever they were charged to; its cause and
// range are those of the largest. What makes less than a hundredth of the idle time is left out.
std::vector<GapSite> joined_sites(const DeviceWindow& device) {
  std::vector<GapSite> sites;
  for (const GapSite& site : device.gap_sites) {
    const auto same = std::ranges::find_if(sites, [&](const GapSite& other) {
      return other.before == site.before && other.after == site.after;
    });
    if (same == sites.end()) {
      sites.push_back(site);
      continue;
    }
    same->total_ns = saturated_sum(same->total_ns, site.total_ns);
    same->count = saturated_sum(same->count, site.count);
  }
  const double idle_ns =
      static_cast<double>(device.window_ns) - static_cast<double>(device.busy_ns);
  std::erase_if(sites, [&](const GapSite& site) {
    return static_cast<double>(site.total_ns) < kLeastOfIdle * idle_ns;
  });
  std::ranges::stable_sort(sites, std::ranges::greater{}, &GapSite::total_ns);
  for (GapSite& site : sites) site.host_range = place_of(site, device);
  return sites;
}

// One row; without an arm, over both.
void add_processes(const RunResult& result, ProcessRole role, std::optional<Arm> arm,
                   std::vector<Row>& rows) {
  int all = 0;
  int good = 0;
  double steps = 0.0;  // not whole: a file from elsewhere may hold any number
  std::vector<double> medians;
  for (const ProcessRecord& process : result.measurement.processes) {
    if (process.role != role || (arm && process.arm != *arm)) continue;
    ++all;
    if (process.state == ProcessState::ok) ++good;
    if (const auto summary = step_summary(process)) {
      medians.push_back(summary->median_ms);
      steps += static_cast<double>(summary->n);
    }
  }
  if (all == 0) return;
  const std::string middle = medians.empty() ? "" : format_milliseconds(median(medians), 4);
  const std::string whose = arm ? ", " + std::string(to_string(*arm)) : std::string();
  rows.push_back({std::string(to_string(role)) + whose, format_count(all), format_count(good),
                  middle, format_count(steps)});
}

}  // namespace

Row compared_row(const Comparison& row, ChangeWords words) {
  if (row.n_base == 0 && row.n_head > 0) {
    return {row.metric, "none", format_value(row.head, row.unit), "", outcome_word(row)};
  }
  if (row.n_base == 0 && row.n_head == 0 && row.base == 0.0 && row.head == 0.0) {
    // Neither side has a figure: zeros would look measured.
    return {row.metric, "none", "none", "", outcome_word(row)};
  }
  return {row.metric, format_value(row.base, row.unit), format_value(row.head, row.unit),
          change_words(row, words), outcome_word(row)};
}

std::vector<const Comparison*> by_weight(const RunResult& result) {
  std::vector<const Comparison*> rows;
  rows.reserve(result.comparisons.size());
  for (const Comparison& row : result.comparisons) rows.push_back(&row);
  std::ranges::stable_sort(rows, [](const Comparison* a, const Comparison* b) {
    if (weight(*a) != weight(*b)) return weight(*a) < weight(*b);
    return std::abs(a->delta_ratio) > std::abs(b->delta_ratio);
  });
  return rows;
}

bool is_notable(const Comparison& row) {
  if (row.outcome != Outcome::pass || row.improved) return true;
  return row.margin_ratio > 0.0 && std::abs(row.delta_ratio) > row.margin_ratio;
}

std::vector<Row> gap_rows(const DeviceWindow& device, std::size_t most) {
  const std::vector<GapSite> sites = joined_sites(device);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < rows_of(sites, most); ++i) {
    const GapSite& site = sites[i];
    rows.push_back({std::string(to_string(site.cause)), per_step_ms(site.total_ns, device),
                    per_step_count(site.count, device), site.before, site.after, site.host_range});
  }
  return rows;
}

std::string launch_shape(const KernelStat& kernel) {
  const auto product = [](const std::array<std::uint32_t, 3>& size) {
    return static_cast<double>(size[0]) * size[1] * size[2];
  };
  return format_count(product(kernel.grid)) + " x " + format_count(product(kernel.block));
}

bool kernels_overlap(const DeviceWindow& device) {
  double total_ns = 0.0;
  for (const KernelStat& kernel : device.kernels) total_ns += static_cast<double>(kernel.total_ns);
  return total_ns > kOverlapFrom * static_cast<double>(device.busy_ns);
}

std::vector<Row> kernel_rows(const DeviceWindow& device, std::size_t most) {
  std::vector<Row> rows;
  const std::size_t count = rows_of(device.kernels, most);
  const std::span<const KernelStat> shown = std::span(device.kernels).first(count);
  const auto is_twice = [&](const KernelStat& kernel) {
    return std::ranges::count(shown, kernel.name, &KernelStat::name) > 1;
  };
  const bool with_shapes = std::ranges::any_of(shown, is_twice);
  for (const KernelStat& kernel : shown) {
    rows.push_back({kernel.name, kernel.family, per_step_ms(kernel.total_ns, device),
                    per_step_count(kernel.calls, device),
                    format_milliseconds(static_cast<double>(kernel.median_ns) / kNsPerMs)});
    if (with_shapes) rows.back().push_back(launch_shape(kernel));
  }
  return rows;
}

std::vector<Row> range_rows(const DeviceWindow& device, std::size_t most) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < rows_of(device.ranges, most); ++i) {
    const RangeStat& range = device.ranges[i];
    rows.push_back({range.path + (range.by_time ? " (by time)" : ""),
                    per_step_count(range.instances, device), per_step_ms(range.gpu_wall_ns, device),
                    per_step_count(range.operations, device)});
  }
  return rows;
}

std::vector<Row> process_rows(const RunResult& result) {
  static constexpr std::array kRoles{ProcessRole::timing, ProcessRole::trace, ProcessRole::counters,
                                     ProcessRole::control};
  std::vector<Row> rows;
  for (const ProcessRole role : kRoles) {
    if (!result.base_arm || role == ProcessRole::control) {
      add_processes(result, role, std::nullopt, rows);
      continue;
    }
    add_processes(result, role, Arm::base, rows);
    add_processes(result, role, Arm::head, rows);
  }
  return rows;
}

std::vector<Row> changed_rows(const RunResult& result) {
  std::vector<Row> rows;
  const Comparability& comparability = result.baseline.comparability;
  for (const auto* list : {&comparability.environment, &comparability.subject}) {
    for (const FingerprintDifference& change : *list) {
      if (!is_workload_digest(change.key)) rows.push_back({change.key, change.base, change.head});
    }
  }
  return rows;
}

bool has_base(const RunResult& result) {
  return std::ranges::any_of(result.comparisons,
                             [](const Comparison& row) { return row.n_base > 0; });
}

std::vector<std::string> note_lines(const RunResult& result) {
  std::vector<std::string> lines;
  lines.reserve(result.verdict.reasons.size());
  for (const Reason& reason : result.verdict.reasons) lines.push_back(reason.text);
  for (std::string& note : sight_notes(result)) lines.push_back(std::move(note));
  if (!result.recorded.empty()) lines.push_back("stored: " + result.recorded);
  if (!result.baseline.how.empty()) lines.push_back("baseline: " + result.baseline.how);
  for (const std::string& note : result.measurement.notes) lines.push_back(note);
  if (!result.workload_owner.empty()) lines.push_back("owner: " + result.workload_owner);
  const RunIdentity& identity = result.identity;
  if (!identity.commit.empty()) {
    lines.push_back(
        fmt::format("this run: commit {}{}{}{}, perfgate {}", identity.commit,
                    identity.dirty ? " (with uncommitted changes)" : "",
                    identity.branch.empty() ? "" : " on " + identity.branch,
                    identity.started_utc.empty() ? "" : ", started " + identity.started_utc,
                    identity.tool_version));
  }
  return lines;
}

}  // namespace perfgate::render
