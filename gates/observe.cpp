#include "gates/observe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>

#include "gates/series.h"
#include "gates/statistics.h"
#include "gates/values.h"
#include "gates/wording.h"

namespace perfgate::gates {
namespace {

/// Two-sided: a report shows a dozen parts or more, and none should move by chance alone.
constexpr double kNoiseLevel = 0.01;

/// Parts of a step: a run without a row of it spent no time in it.
constexpr std::array<std::string_view, 2> kParts{"family_ms/", "idle_ms/"};

/// The values of the runs, with a zero for a run that has other parts but not this one.
std::vector<double> level_values(const GateInput& input, const std::string& id,
                                 const BaselineSeries* series) {
  std::map<std::int64_t, double> by_run;
  if (const std::string_view prefix = part_prefix(id); !prefix.empty()) {
    for (const BaselineSeries& other : input.baseline) {
      if (!other.metric.starts_with(prefix)) continue;
      for (const BaselinePoint& point : other.points) by_run[point.run] = 0.0;
    }
  }
  if (series != nullptr) {
    for (const BaselinePoint& point : series->points) by_run[point.run] = point.value;
  }
  std::vector<double> values;
  values.reserve(by_run.size());
  for (const auto& [run, value] : by_run) values.push_back(value);
  return values;
}

/// Prediction interval for one more run, never narrower than what the head's own processes show.
std::optional<double> noise_of(const std::vector<double>& runs, const MetricValue& head) {
  if (runs.size() < 2) return std::nullopt;
  const double count = static_cast<double>(runs.size());
  const double run_sd = sample_sd(runs);
  const auto processes = static_cast<int>(head.samples.size());
  const double process_sd = sample_sd(head.samples);
  const double seen =
      process_sd * process_sd * median_variance_factor(processes) / std::max(processes, 1);
  const double variance = run_sd * run_sd / count + std::max(run_sd * run_sd, seen);
  return t_interval(0.0, std::sqrt(variance), count - 1.0, kNoiseLevel).half_width;
}

void add(const GateInput& input, const MetricValue& head, const BaselineSeries* series,
         std::vector<Observation>& all) {
  const std::vector<double> runs = level_values(input, head.id, series);
  const auto finite = [](double value) { return std::isfinite(value); };
  if (runs.empty() || !std::ranges::all_of(runs, finite) || !finite(head.value) ||
      !std::ranges::all_of(head.samples, finite)) {
    return;
  }
  all.push_back({.metric = head.id,
                 .unit = head.unit,
                 .base = mean(runs),
                 .head = head.value,
                 .noise = noise_of(runs, head),
                 .n_base = static_cast<int>(runs.size())});
}

/// The parts of the step that this run has no more.
void add_gone(const GateInput& input, std::vector<Observation>& all) {
  for (const BaselineSeries& series : input.baseline) {
    const std::string_view prefix = part_prefix(series.metric);
    const auto has = [&](const MetricValue& metric) { return metric.id == series.metric; };
    const auto like = [&](const MetricValue& metric) { return metric.id.starts_with(prefix); };
    if (prefix.empty() || is_gated(input.spec, series.metric) ||
        std::ranges::any_of(input.metrics, has) || std::ranges::none_of(input.metrics, like)) {
      continue;
    }
    MetricValue none;
    none.id = series.metric;
    none.kind = series.kind;
    none.unit = series.unit;
    add(input, none, &series, all);
  }
}

}  // namespace

std::string_view part_prefix(std::string_view id) {
  for (const std::string_view prefix : kParts) {
    if (id.starts_with(prefix)) return prefix;
  }
  return {};
}

bool is_gated(const WorkloadSpec& spec, const std::string& id) {
  return std::ranges::find(spec.gates, id, &GateSpec::metric) != spec.gates.end();
}

std::string tracing_problem(std::string_view side, double ratio) {
  if (!(ratio > 0.0) || !std::isfinite(ratio)) {
    return std::string(side) + ": traced / untraced step time is not known";
  }
  if (std::abs(ratio - 1.0) <= kTracedOverUntracedBound) return {};
  return std::string(side) + ": tracing changed the step by " + signed_percent(ratio - 1.0) +
         ", more than " + percent(kTracedOverUntracedBound);
}

std::string tracing_problem(const GateInput& input) {
  std::string head = tracing_problem("this run", input.traced_over_untraced);
  if (!head.empty()) return head;
  return tracing_problem("the baseline", input.base_traced_over_untraced.value_or(0.0));
}

std::vector<Observation> observe(const GateInput& input) {
  std::vector<Observation> all;
  if (!input.measurement_ok || !input.choice.exists ||
      !input.choice.comparability.environment.empty()) {
    return all;
  }
  const bool captures_compare =
      input.capture.validity == Validity::valid && tracing_problem(input).empty();
  for (const MetricValue& metric : input.metrics) {
    if (is_gated(input.spec, metric.id)) continue;
    if (metric.kind != MetricKind::timed && !captures_compare) continue;
    const BaselineSeries* series = find_series(input, metric);
    if (series == nullptr && part_prefix(metric.id).empty()) continue;
    add(input, metric, series, all);
  }
  if (captures_compare) add_gone(input, all);
  return all;
}

}  // namespace perfgate::gates
