#include "reporters/render/change_facts.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "reporters/render/breakdown.h"
#include "runner/model/reason_text.h"

namespace perfgate::render {
namespace {

constexpr std::size_t kFactsShown = 3;
constexpr std::size_t kDigestDigits = 12;
constexpr std::string_view kDigestMark = "sha256:";

struct Sides {
  double base = 0.0;
  double head = 0.0;
  double noise = 0.0;  ///< of a metric without a gate
};

/// A metric on both sides, gated or not; empty where one side lacks it.
std::optional<Sides> sides_of(const RunResult& result, std::string_view metric) {
  if (const Comparison* row = find_comparison(result, metric)) {
    if (row->n_base == 0 || row->n_head == 0) return std::nullopt;
    return Sides{row->base, row->head, 0.0};
  }
  const auto it = std::ranges::find(result.observed, metric, &Observation::metric);
  if (it == result.observed.end() || it->n_base == 0) return std::nullopt;
  return Sides{it->base, it->head, it->noise.value_or(0.0)};
}

bool is_finite(double base, double head) { return std::isfinite(base) && std::isfinite(head); }

bool is_digest(std::string_view value) {
  if (value.starts_with(kDigestMark)) return true;
  return value.size() >= kDigestDigits &&
         value.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string fact_words(const FingerprintDifference& fact) {
  if (is_digest(fact.base) || is_digest(fact.head)) return fact.key;
  return fact.key + " " + fact.base + " -> " + fact.head;
}

/// The number of graph launches of this run; empty: the result was made before they were counted.
std::optional<double> graph_launches_now(const RunResult& result) {
  const MetricValue* metric = find_metric(result, "graph_launches");
  return metric == nullptr ? std::nullopt : std::optional(metric->value);
}

}  // namespace

std::vector<CountChange> changed_counts(const RunResult& result) {
  std::vector<CountChange> changes;
  for (const Comparison& row : result.comparisons) {
    if (row.kind != MetricKind::counted || row.n_base == 0 || row.n_head == 0) continue;
    if (row.head != row.base && is_finite(row.base, row.head))
      changes.push_back({row.metric, row.base, row.head});
  }
  for (const Observation& row : result.observed) {
    // What the program reports may have this unit too, and is no count of ours.
    if (row.unit != "1" || row.n_base == 0 || row.metric.starts_with("reported/")) continue;
    if (std::abs(row.head - row.base) > row.noise.value_or(0.0) && is_finite(row.base, row.head))
      changes.push_back({row.metric, row.base, row.head});
  }
  return changes;
}

std::vector<std::string> changed_facts(const RunResult& result) {
  return changed_facts(result.baseline.comparability.subject);
}

std::vector<std::string> changed_facts(std::span<const FingerprintDifference> differences) {
  std::vector<std::string> facts;
  for (const FingerprintDifference& fact : differences) {
    if (facts.size() < kFactsShown) facts.push_back(fact_words(fact));
  }
  if (differences.size() > kFactsShown)
    facts.push_back(fmt::format("{} more", differences.size() - kFactsShown));
  return facts;
}

std::string broken_limit(const Comparison& row) {
  if (row.outcome != Outcome::fail) return {};
  const RuleFinding* finding = broken_limit_of(row);
  return finding == nullptr ? std::string() : text_of(row, *finding);
}

bool only_limit_broken(const Comparison& row) {
  // Without a baseline nothing else can fail, whether the findings are known or not.
  if (row.outcome == Outcome::fail && row.n_base == 0) return true;
  if (broken_limit(row).empty()) return false;
  const bool lower = row.better == Better::lower;
  if (row.kind == MetricKind::counted) return lower ? row.head <= row.base : row.head >= row.base;
  if (!row.interval_known) return true;
  return (lower ? row.ci_low_ratio : -row.ci_high_ratio) <= row.margin_ratio;
}

GraphUse graph_use(const RunResult& result) {
  const auto graphs = sides_of(result, "graph_launches");
  if (graphs && graphs->base > 0.0 && graphs->head == 0.0) return GraphUse::vanished;
  const auto now = graph_launches_now(result);
  const auto calls = sides_of(result, "launch_calls");
  const auto kernels = sides_of(result, "kernel_launches");
  // One call launches several kernels only by a graph.
  if (calls && kernels && calls->head - calls->base > calls->noise &&
      kernels->head == kernels->base) {
    const bool none_now = now ? *now == 0.0 : calls->head == kernels->head;
    return none_now ? GraphUse::vanished : GraphUse::less;
  }
  if (!graphs && now && *now == 0.0 && idle_is_gone(result, IdleCause::graph_internal))
    return GraphUse::vanished;
  return GraphUse::not_less;
}

bool idle_is_gone(const RunResult& result, IdleCause cause) {
  const auto sides = sides_of(result, "idle_ms/" + std::string(to_string(cause)));
  return sides && sides->head == 0.0 && sides->base > sides->noise;
}

}  // namespace perfgate::render
