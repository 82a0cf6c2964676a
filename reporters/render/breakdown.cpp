#include "reporters/render/breakdown.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "runner/model/median.h"

namespace perfgate::render {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr double kNsPerUs = 1e3;

struct Totals {
  std::int64_t window_ns = 0;
  std::int64_t busy_ns = 0;
  std::int64_t steps = 0;
  struct Family {
    std::int64_t wall_ns = 0;
    std::int64_t count = 0;
  };
  std::map<std::string, Family> families;
  struct Idle {
    std::int64_t total_ns = 0;
    std::int64_t pieces = 0;
  };
  std::array<Idle, kIdleCauseCount> idle{};
};

void add_saturating(std::int64_t& sum, std::int64_t value) { sum = saturated_sum(sum, value); }

void add(Totals& totals, const DeviceWindow& device) {
  add_saturating(totals.window_ns, device.window_ns);
  add_saturating(totals.busy_ns, device.busy_ns);
  add_saturating(totals.steps, device.steps);
  for (const FamilyTime& family : device.families) {
    Totals::Family& sum = totals.families[family.family];
    add_saturating(sum.wall_ns, family.wall_ns);
    add_saturating(sum.count, family.count);
  }
  for (const IdleTime& idle : device.idle) {
    Totals::Idle& sum = totals.idle.at(static_cast<std::size_t>(idle.cause));
    add_saturating(sum.total_ns, idle.total_ns);
    add_saturating(sum.pieces, idle.pieces);
  }
}

std::optional<double> base_of(const RunResult& result, const std::string& metric) {
  if (const Comparison* row = find_comparison(result, metric)) {
    return row->unit == "ms" && row->n_base > 0 ? std::optional(row->base) : std::nullopt;
  }
  const auto it = std::ranges::find(result.observed, metric, &Observation::metric);
  return it != result.observed.end() && it->unit == "ms" ? std::optional(it->base) : std::nullopt;
}

void fill_families(const RunResult& result, const Totals& totals, Breakdown& out) {
  const auto steps = static_cast<double>(totals.steps);
  for (const auto& [name, sum] : totals.families) {
    out.families.push_back(
        {.family = name,
         .ms_per_step = static_cast<double>(sum.wall_ns) / steps / kNsPerMs,
         .share = static_cast<double>(sum.wall_ns) / static_cast<double>(totals.window_ns),
         .operations_per_step = static_cast<double>(sum.count) / steps,
         .base_ms = base_of(result, "family_ms/" + name)});
  }
  std::ranges::stable_sort(out.families, std::ranges::greater{}, &FamilyRow::ms_per_step);
}

void fill_idle(const RunResult& result, const Totals& totals, Breakdown& out) {
  const auto steps = static_cast<double>(totals.steps);
  for (std::size_t i = 0; i < kIdleCauseCount; ++i) {
    const Totals::Idle& sum = totals.idle.at(i);
    if (sum.total_ns == 0) continue;
    const auto cause = static_cast<IdleCause>(i);
    const auto pieces = static_cast<double>(sum.pieces);
    out.idle.push_back(
        {.cause = cause,
         .ms_per_step = static_cast<double>(sum.total_ns) / steps / kNsPerMs,
         .share = static_cast<double>(sum.total_ns) / static_cast<double>(totals.window_ns),
         .pieces_per_step = pieces / steps,
         .mean_us = sum.pieces == 0 ? 0.0 : static_cast<double>(sum.total_ns) / pieces / kNsPerUs,
         .base_ms = base_of(result, "idle_ms/" + std::string(to_string(cause)))});
    out.gaps_per_step += pieces / steps;
  }
  std::ranges::stable_sort(out.idle, std::ranges::greater{}, &IdleRow::ms_per_step);
}

}  // namespace

std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max()
               : std::numeric_limits<std::int64_t>::min();
}

Breakdown break_down(const RunResult& result) {
  Breakdown out;
  if (result.analysis.capture.validity == Validity::invalid) return out;
  Totals totals;
  for (const TracedProcess& process : result.analysis.traced) {
    if (process.verdict.validity == Validity::invalid || process.devices.empty()) continue;
    ++out.processes;
    out.devices = std::max(out.devices, process.devices.size());
    for (const DeviceWindow& device : process.devices) add(totals, device);
  }
  if (totals.steps <= 0 || totals.window_ns <= 0) return Breakdown{};
  const auto steps = static_cast<double>(totals.steps);
  out.known = true;
  out.window_ms = static_cast<double>(totals.window_ns) / steps / kNsPerMs;
  out.busy_ms = static_cast<double>(totals.busy_ns) / steps / kNsPerMs;
  out.idle_ms = static_cast<double>(totals.window_ns - totals.busy_ns) / steps / kNsPerMs;
  out.base_idle_ms = base_of(result, "gpu_idle_ms");
  fill_families(result, totals, out);
  fill_idle(result, totals, out);
  return out;
}

const Comparison* find_comparison(const RunResult& result, std::string_view metric) {
  const auto it = std::ranges::find(result.comparisons, metric, &Comparison::metric);
  return it == result.comparisons.end() ? nullptr : &*it;
}

const MetricValue* find_metric(const RunResult& result, std::string_view id) {
  const auto it = std::ranges::find(result.metrics, id, &MetricValue::id);
  return it == result.metrics.end() ? nullptr : &*it;
}

const TracedProcess* shown_process(const RunResult& result) {
  if (result.analysis.capture.validity == Validity::invalid) return nullptr;
  const auto usable = [](const TracedProcess& process) {
    return process.verdict.validity != Validity::invalid && !process.devices.empty();
  };
  const auto it = std::ranges::find_if(result.analysis.traced, usable);
  return it == result.analysis.traced.end() ? nullptr : &*it;
}

std::optional<StepSummary> step_summary(const ProcessRecord& process) {
  if (process.summary) return process.summary;
  if (!process.results || process.results->steps.empty()) return std::nullopt;
  std::vector<double> steps;
  steps.reserve(process.results->steps.size());
  for (const StepSample& step : process.results->steps) steps.push_back(step.ms);
  const auto n = static_cast<std::int64_t>(steps.size());
  return StepSummary{.median_ms = median(steps), .n = n};
}

}  // namespace perfgate::render
