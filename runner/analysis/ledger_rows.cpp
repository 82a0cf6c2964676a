#include "runner/analysis/ledger_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "runner/analysis/device_steps.h"
#include "runner/analysis/range_names.h"
#include "runner/analysis/statistics.h"

namespace perfgate::analysis {
namespace {

constexpr double kUnattributedShare = 0.1;
constexpr double kStandardErrors = 2.0;
/// A nanosecond: what sums of doubles leave over.
constexpr double kRoundingMs = 1e-6;

std::string_view class_word(ApiClass api_class) {
  switch (api_class) {
    case ApiClass::kernel_launch: return "kernel_launch";
    case ApiClass::graph_launch: return "graph_launch";
    case ApiClass::synchronise: return "synchronise";
    case ApiClass::copy: return "copy";
    case ApiClass::memset: return "memset";
    case ApiClass::allocation: return "allocation";
    case ApiClass::module_load: return "module_load";
    case ApiClass::graph_build: return "graph_build";
    case ApiClass::other: return "other";
  }
  return "other";
}

template <typename Value, typename Get>
std::optional<double> median_of(std::span<const DeviceSample> samples, const Get& get,
                                double scale) {
  std::vector<double> values;
  for (const DeviceSample& sample : samples) {
    const std::optional<Value> value = get(sample);
    if (value) values.push_back(static_cast<double>(*value) * scale);
  }
  if (values.empty()) return std::nullopt;
  return median(values);
}

using TimeByCause = std::map<std::pair<IdleCause, std::string>, double>;
/// All gaps between two kernels.
struct GapsOfPair {
  GapChange change;
  TimeByCause base;  ///< by cause and host range
  TimeByCause head;
};

template <typename Row, typename Change>
void keep_largest(std::vector<Row>& rows, const Change& change) {
  std::ranges::stable_sort(
      rows, [&](const Row& a, const Row& b) { return std::abs(change(a)) > std::abs(change(b)); });
  if (rows.size() > kOpenRows) rows.resize(kOpenRows);
}

std::vector<PlaceChange> places_of(std::span<const KernelChange> changes,
                                   const std::string& family) {
  std::map<std::string, PlaceChange> places;
  for (const KernelChange& change : changes) {
    if (change.family != family || change.place.empty()) continue;
    const std::string path = collapse_indices(change.place);
    PlaceChange& place = places[path];
    place.place = path;
    place.base_ms += change.base.ms_per_step;
    place.head_ms += change.head.ms_per_step;
  }
  std::vector<PlaceChange> rows;
  for (auto& [path, place] : places) rows.push_back(std::move(place));
  keep_largest(rows, [](const PlaceChange& row) { return row.head_ms - row.base_ms; });
  return rows;
}

}  // namespace

void add_counts(std::span<const TracedProcess* const> processes, LedgerSide& side) {
  std::map<std::string, double> sums;
  double counted = 0.0;
  for (const TracedProcess* process : processes) {
    if (process->steps <= 0) continue;
    counted += 1.0;
    const auto steps = static_cast<double>(process->steps);
    side.records += process->records_per_step;
    sums["kernel_launches"] += static_cast<double>(process->kernel_launches) / steps;
    sums["launch_calls"] += static_cast<double>(process->api_launches) / steps;
    sums["graph_launches"] += static_cast<double>(process->graph_launches) / steps;
    sums["copies"] += static_cast<double>(process->copies) / steps;
    for (const ApiCallStat& stat : process->api_calls)
      sums["calls/" + std::string(class_word(stat.api_class))] +=
          static_cast<double>(stat.calls) / steps;
  }
  if (counted == 0.0) return;
  side.records /= counted;
  for (const auto& [name, sum] : sums) side.counts[name] = sum / counted;
}

void add_samples(std::span<const DeviceSample> samples, LedgerSide& side) {
  side.sm_clock_mhz = median_of<std::uint32_t>(
      samples, [](const DeviceSample& sample) { return sample.sm_clock_mhz; }, 1.0);
  side.memory_clock_mhz = median_of<std::uint32_t>(
      samples, [](const DeviceSample& sample) { return sample.memory_clock_mhz; }, 1.0);
  side.power_w = median_of<std::uint32_t>(
      samples, [](const DeviceSample& sample) { return sample.power_mw; }, 1e-3);
}

void add_kernels(std::span<const KernelChange> changes, LedgerRow& row) {
  for (const KernelChange& change : changes) {
    if (change.family == row.name && change.fate != KernelFate::same) row.kernels.push_back(change);
  }
  keep_largest(row.kernels, [](const KernelChange& change) { return change.change_ms(); });
  row.places = places_of(changes, row.name);
}

GapsByCause gap_changes(std::span<const TracedProcess* const> base,
                        std::span<const TracedProcess* const> head) {
  std::map<std::pair<std::string, std::string>, GapsOfPair> pairs;
  const auto add = [&](std::span<const TracedProcess* const> processes, double GapChange::*ms,
                       double GapChange::*count, TimeByCause GapsOfPair::*by_cause) {
    for (const TracedProcess* process : processes) {
      const double devices = devices_with_steps(*process);
      for (const DeviceWindow& device : process->devices) {
        if (device.steps <= 0) continue;
        const double share = 1.0 / (static_cast<double>(device.steps) *
                                    static_cast<double>(processes.size()) * devices);
        for (const GapSite& site : device.every_gap_site) {
          GapsOfPair& pair = pairs[{site.before, site.after}];
          const double site_ms = static_cast<double>(site.total_ns) / 1e6 * share;
          pair.change.*ms += site_ms;
          pair.change.*count += static_cast<double>(site.count) * share;
          (pair.*by_cause)[{site.cause, site.host_range}] += site_ms;
        }
      }
    }
  };
  add(base, &GapChange::base_ms, &GapChange::base_count, &GapsOfPair::base);
  add(head, &GapChange::head_ms, &GapChange::head_count, &GapsOfPair::head);
  GapsByCause gaps;
  for (auto& [names, pair] : pairs) {
    const TimeByCause& told_by = pair.head.empty() ? pair.base : pair.head;
    const auto most =
        std::ranges::max_element(told_by, {}, [](const auto& entry) { return entry.second; });
    pair.change.before = names.first;
    pair.change.after = names.second;
    pair.change.host_range = most->first.second;
    gaps[std::string(to_string(most->first.first))].push_back(std::move(pair.change));
  }
  return gaps;
}

void add_gaps(const GapsByCause& gaps, LedgerRow& row) {
  const auto found = gaps.find(row.name);
  if (found == gaps.end()) return;
  row.gaps = found->second;
  keep_largest(row.gaps, [](const GapChange& gap) { return gap.head_ms - gap.base_ms; });
}

void close_ledger(const RestError& error, Ledger& ledger) {
  LedgerRow rest{.part = LedgerPart::unattributed, .name = "unattributed"};
  rest.ms.head = ledger.step.change();
  for (const LedgerRow& row : ledger.rows) rest.ms.head -= row.ms.change();
  rest.ms.half_width = error.half_width;
  const double allowed = std::max({kUnattributedShare * std::abs(ledger.step.change()),
                                   kStandardErrors * error.standard_error, kRoundingMs});
  ledger.established = std::abs(rest.ms.change()) <= allowed;
  if (!ledger.established)
    ledger.problem = "the traced steps do not show the change that the untraced ones have";
  ledger.rows.push_back(std::move(rest));
}

}  // namespace perfgate::analysis
