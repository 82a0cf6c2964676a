#include "runner/analysis/ledger.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "runner/analysis/device_steps.h"
#include "runner/analysis/kernel_match.h"
#include "runner/analysis/ledger_rows.h"
#include "runner/analysis/range_names.h"
#include "runner/analysis/statistics.h"

namespace perfgate::analysis {
namespace {

constexpr double kCoverage = 0.95;

using Processes = std::vector<const TracedProcess*>;

/// Those with whole steps: the valid ones, or, where none is valid, the doubtful ones (compiling in
/// the window makes a capture suspect, and is what is asked for), or the invalid ones.
Processes usable(const Analysis& analysis) {
  Processes valid;
  Processes doubtful;
  Processes invalid;
  for (const TracedProcess& process : analysis.traced) {
    if (devices_with_steps(process) == 0.0) continue;
    const Validity validity = process.verdict.validity;
    (validity == Validity::valid     ? valid
     : validity == Validity::invalid ? invalid
                                     : doubtful)
        .push_back(&process);
  }
  if (!valid.empty()) return valid;
  return doubtful.empty() ? invalid : doubtful;
}

/// "the captures of the head are invalid: CUPTI lost 3 records ..."; empty = they are usable.
std::string invalid_words(const char* side, const Processes& processes) {
  if (processes.empty()) return {};
  const CaptureVerdict& verdict = processes.front()->verdict;
  if (verdict.validity != Validity::invalid) return {};
  return std::string("the captures of the ") + side + " are invalid" +
         (verdict.reasons.empty() ? std::string() : ": " + verdict.reasons.front());
}

/// Records that are missing are missing in the rows: no sum of them establishes anything.
void doubt_invalid(const Processes& base, const Processes& head, Ledger& ledger) {
  for (const auto& [side, processes] : {std::pair("base", &base), std::pair("head", &head)}) {
    const std::string words = invalid_words(side, *processes);
    if (words.empty()) continue;
    ledger.established = false;
    ledger.problem = words;
  }
}

/// Per step, the mean over a process's devices with steps, of what `ns_of` takes from each.
template <typename NsOf>
double ms_per_step(const TracedProcess& process, const NsOf& ns_of) {
  double sum = 0.0;
  for (const DeviceWindow& device : process.devices) {
    if (device.steps <= 0) continue;
    sum += static_cast<double>(ns_of(device)) / 1e6 / static_cast<double>(device.steps);
  }
  return sum / std::max(1.0, devices_with_steps(process));
}

template <typename NsOf>
std::vector<double> per_process(const Processes& processes, const NsOf& ns_of) {
  std::vector<double> values;
  values.reserve(processes.size());
  for (const TracedProcess* process : processes) values.push_back(ms_per_step(*process, ns_of));
  return values;
}

LedgerChange change_of(const MeanDifference& difference) {
  return {.base = difference.base,
          .head = difference.head,
          .half_width = half_width(difference, kCoverage)};
}

std::int64_t wall_of(const DeviceWindow& device, const std::string& family) {
  const auto found = std::ranges::find(device.families, family, &FamilyTime::family);
  return found == device.families.end() ? 0 : found->wall_ns;
}

std::int64_t idle_of(const DeviceWindow& device, IdleCause cause) {
  const auto found = std::ranges::find(device.idle, cause, &IdleTime::cause);
  return found == device.idle.end() ? 0 : found->total_ns;
}

/// What tracing adds to a step of the process, ms: at the same step indices, where that is known.
std::optional<double> tracing_cost_ms(const TracedProcess& process) {
  if (process.traced_over_untraced <= 0.0) return std::nullopt;
  return process.traced_step_ms * (1.0 - 1.0 / process.traced_over_untraced);
}

/// Of it, what stands in the calls that launch a graph while the GPU waits: all of their time, but
/// not more than tracing added to the step.
double graph_launch_cost_ms(const TracedProcess& process) {
  const double waited =
      ms_per_step(process, [](const DeviceWindow& device) { return device.graph_launch_idle_ns; });
  return std::clamp(waited, 0.0, std::max(0.0, tracing_cost_ms(process).value_or(0.0)));
}

std::vector<double> graph_launch_costs_ms(const Processes& processes) {
  std::vector<double> costs;
  costs.reserve(processes.size());
  for (const TracedProcess* process : processes) costs.push_back(graph_launch_cost_ms(*process));
  return costs;
}

LedgerSide side_of(const LedgerInput& input, const Processes& processes) {
  LedgerSide side;
  side.step_ms = mean(input.step_ms);
  side.processes = static_cast<int>(input.step_ms.size());
  side.traced = static_cast<int>(processes.size());
  side.traced_step_ms =
      mean(per_process(processes, [](const DeviceWindow& device) { return device.window_ns; }));
  add_counts(processes, side);
  add_samples(input.samples, side);
  return side;
}

std::vector<LedgerRow> part_rows(const Processes& base, const Processes& head) {
  std::map<std::string, LedgerRow> families;
  std::map<IdleCause, LedgerRow> idle;
  for (const Processes* side : {&base, &head}) {
    for (const TracedProcess* process : *side) {
      for (const DeviceWindow& device : process->devices) {
        for (const FamilyTime& time : device.families)
          families[time.family] = {.part = LedgerPart::family, .name = time.family};
        for (const IdleTime& time : device.idle)
          idle[time.cause] = {.part = LedgerPart::idle, .name = std::string(to_string(time.cause))};
      }
    }
  }
  std::vector<LedgerRow> rows;
  const auto add = [&](LedgerRow& row, const auto& ns_of) {
    row.ms = change_of(mean_difference(per_process(base, ns_of), per_process(head, ns_of)));
    rows.push_back(std::move(row));
  };
  for (auto& [family, row] : families) {
    add(row, [&name = family](const DeviceWindow& device) { return wall_of(device, name); });
  }
  for (auto& [cause, row] : idle) {
    add(row, [which = cause](const DeviceWindow& device) { return idle_of(device, which); });
  }
  return rows;
}

/// Cost of a record beside the launches of graphs, by both sides together, times the change of the
/// records.
LedgerRow tracing_row(const Processes& base, const Processes& head, const Ledger& ledger) {
  std::vector<double> costs;
  for (const auto& [processes, records] :
       {std::pair(&base, ledger.base.records), std::pair(&head, ledger.head.records)}) {
    if (records <= 0.0) continue;
    for (const TracedProcess* process : *processes) {
      if (const auto cost = tracing_cost_ms(*process))
        costs.push_back((*cost - graph_launch_cost_ms(*process)) / records);
    }
  }
  LedgerRow row{.part = LedgerPart::tracing, .name = "tracing"};
  const double cost = std::max(0.0, median(costs));
  // The traced steps hold it; the untraced step does not: it comes out again.
  row.ms.base = -cost * ledger.base.records;
  row.ms.head = -cost * ledger.head.records;
  const double records = std::abs(ledger.head.records - ledger.base.records);
  const MeanDifference spread = mean_difference(costs, costs);
  if (const auto width = half_width(spread, kCoverage))
    row.ms.half_width = *width * records / std::sqrt(2.0);
  return row;
}

/// Empty where no side launches a graph while the GPU waits.
std::optional<LedgerRow> graph_launch_row(const Processes& base, const Processes& head) {
  LedgerRow row{.part = LedgerPart::tracing, .name = "tracing, graph launch"};
  row.ms = change_of(mean_difference(graph_launch_costs_ms(base), graph_launch_costs_ms(head)));
  if (row.ms.base == 0.0 && row.ms.head == 0.0) return std::nullopt;
  row.ms.base = -row.ms.base;
  row.ms.head = -row.ms.head;
  return row;
}

/// Traced steps without what the launches of graphs cost in them: process by process, since they
/// rise and fall together.
std::vector<double> windows_ms(const Processes& processes) {
  std::vector<double> windows =
      per_process(processes, [](const DeviceWindow& device) { return device.window_ns; });
  for (std::size_t i = 0; i < windows.size(); ++i)
    windows[i] -= graph_launch_cost_ms(*processes[i]);
  return windows;
}

/// Of the untraced change and the traced one together.
RestError rest_error(const Processes& base, const Processes& head, const LedgerInput& base_input,
                     const LedgerInput& head_input) {
  const MeanDifference traced = mean_difference(windows_ms(base), windows_ms(head));
  const MeanDifference untraced = mean_difference(base_input.step_ms, head_input.step_ms);
  if (traced.degrees <= 0.0 || untraced.degrees <= 0.0) return {};
  MeanDifference both;
  // Not std::hypot: glibc has another version of it since 2.35.
  both.standard_error = std::sqrt(traced.standard_error * traced.standard_error +
                                  untraced.standard_error * untraced.standard_error);
  both.degrees = std::min(traced.degrees, untraced.degrees);
  return {.standard_error = both.standard_error, .half_width = half_width(both, kCoverage)};
}

}  // namespace

Ledger make_ledger(const LedgerInput& base, const LedgerInput& head) {
  const Processes base_traced = usable(*base.analysis);
  const Processes head_traced = usable(*head.analysis);
  Ledger ledger;
  ledger.base = side_of(base, base_traced);
  ledger.head = side_of(head, head_traced);
  ledger.step = change_of(mean_difference(base.step_ms, head.step_ms));
  if (base_traced.empty() || head_traced.empty()) {
    ledger.problem = std::string("the ") + (base_traced.empty() ? "base" : "head") +
                     " has no traced process with whole steps";
    return ledger;
  }
  if (base.step_ms.empty() || head.step_ms.empty()) {
    ledger.problem =
        std::string("the ") + (base.step_ms.empty() ? "base" : "head") + " has no untraced process";
    return ledger;
  }
  ledger.rows = part_rows(base_traced, head_traced);
  const KernelMatch match = match_kernels(base_traced, head_traced);
  ledger.work = match.identity;
  const GapsByCause gaps = gap_changes(base_traced, head_traced);
  for (LedgerRow& row : ledger.rows) {
    if (row.part == LedgerPart::family) add_kernels(match.changes, row);
    if (row.part == LedgerPart::idle) add_gaps(gaps, row);
  }
  std::ranges::stable_sort(ledger.rows, [](const LedgerRow& a, const LedgerRow& b) {
    return std::abs(a.ms.change()) > std::abs(b.ms.change());
  });
  ledger.rows.push_back(tracing_row(base_traced, head_traced, ledger));
  if (auto row = graph_launch_row(base_traced, head_traced)) ledger.rows.push_back(std::move(*row));
  close_ledger(rest_error(base_traced, head_traced, base, head), ledger);
  doubt_invalid(base_traced, head_traced, ledger);
  return ledger;
}

}  // namespace perfgate::analysis
