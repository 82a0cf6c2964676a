#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "reporters/render/breakdown.h"
#include "reporters/render/story.h"

namespace perfgate::render {
namespace {

constexpr std::string_view kStepTime = "step_time_p50";
// A part is worth a word when it makes a tenth of the step's change, and a thousandth of the step.
constexpr double kNotableOfChange = 0.10;
constexpr double kNotableOfStep = 0.001;

bool has_causes(const RunResult& result) {
  const auto is_cause = [](const auto& row) { return row.metric.starts_with("idle_ms/"); };
  return std::ranges::any_of(result.comparisons, is_cause) ||
         std::ranges::any_of(result.observed, is_cause);
}

// The part of a step that a metric times; empty name: it is none.
Contribution part_of(const std::string& metric, bool causes_known) {
  using enum Contribution::Part;
  constexpr std::string_view kFamily = "family_ms/";
  constexpr std::string_view kIdle = "idle_ms/";
  if (metric.starts_with(kFamily)) return {.name = metric.substr(kFamily.size()), .part = family};
  if (metric.starts_with(kIdle)) {
    const std::string word = metric.substr(kIdle.size());
    const auto cause = idle_cause_from_string(word);
    return {.name = "idle " + word,
            .part = idle_of_cause,
            .cause = cause.ok() ? std::optional(cause.value()) : std::nullopt};
  }
  const bool whole = metric == "gpu_idle_ms" && !causes_known;
  return {.name = whole ? "GPU idle" : "", .part = all_idle};
}

// The table's figure, so that both change by the same amount; empty where it has no row.
std::optional<double> table_ms(const Breakdown& breakdown, const std::string& metric) {
  if (!breakdown.known) return std::nullopt;
  if (metric == "gpu_idle_ms") return breakdown.idle_ms;
  for (const FamilyRow& row : breakdown.families) {
    if (metric == "family_ms/" + row.family) return row.ms_per_step;
  }
  for (const IdleRow& row : breakdown.idle) {
    if (metric == "idle_ms/" + std::string(to_string(row.cause))) return row.ms_per_step;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Contribution> contributions(const RunResult& result) {
  const Comparison* step = find_comparison(result, kStepTime);
  const double step_change = step == nullptr ? 0.0 : std::abs(step->head - step->base);
  const double least =
      std::max(kNotableOfChange * step_change, step == nullptr ? 0.0 : kNotableOfStep * step->base);
  const bool causes_known = has_causes(result);
  const Breakdown breakdown = break_down(result);
  std::vector<Contribution> parts;
  const auto add = [&](const auto& row, bool within_noise) {
    Contribution part = part_of(row.metric, causes_known);
    part.change_ms = table_ms(breakdown, row.metric).value_or(row.head) - row.base;
    part.notable = !within_noise && std::abs(part.change_ms) >= least;
    const bool told = row.unit == "ms" && row.n_base != 0 && std::isfinite(part.change_ms);
    if (told && !part.name.empty()) parts.push_back(std::move(part));
  };
  for (const Comparison& row : result.comparisons) {
    add(row, row.interval_known && row.ci_low_ratio <= 0.0 && row.ci_high_ratio >= 0.0);
  }
  for (const Observation& row : result.observed) {
    add(row, row.noise && std::abs(row.head - row.base) <= *row.noise);
  }
  std::ranges::stable_sort(parts, [](const Contribution& a, const Contribution& b) {
    return std::abs(a.change_ms) > std::abs(b.change_ms);
  });
  return parts;
}

}  // namespace perfgate::render
