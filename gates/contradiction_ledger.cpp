#include "gates/contradiction_ledger.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace perfgate::gates {
namespace {

constexpr std::string_view kStep = "step_time_p50";
/// What sums of doubles lose, and their way through text; of the largest figure, at least 1 ns.
constexpr double kRounding = 1e-9;
constexpr double kLeastMs = 1e-6;
/// A ledger is established up to a tenth of the change or two standard errors of the rest
/// (runner/analysis/ledger_rows.h); a 95 % half width is 1.96 of them or more.
constexpr double kRestShare = 0.1;
constexpr double kErrorsPerHalfWidth = 2.0 / 1.95;

bool differ(double a, double b) {
  return !(std::abs(a - b) <= std::max(kLeastMs, kRounding * std::max(std::abs(a), std::abs(b))));
}

struct Sides {
  double base = 0.0;
  double head = 0.0;
};

/// What the result says of a metric against the store.
std::optional<Sides> against_store(const RunResult& result, std::string_view metric) {
  for (const Comparison& row : result.comparisons) {
    if (row.metric == metric && row.against == Against::store && row.n_base > 0)
      return Sides{row.base, row.head};
  }
  for (const Observation& row : result.observed) {
    if (row.metric == metric) return Sides{row.base, row.head};
  }
  return std::nullopt;
}

std::string metric_of(const LedgerRow& row) {
  if (row.part == LedgerPart::family) return "family_ms/" + row.name;
  return row.part == LedgerPart::idle ? "idle_ms/" + row.name : std::string();
}

std::string other_than_compared(const RunResult& result, std::string_view metric,
                                const LedgerChange& ms) {
  const std::optional<Sides> compared = against_store(result, metric);
  if (!compared) return "its ledger has " + std::string(metric) + ", which was not compared";
  if (!differ(compared->base, ms.base) && !differ(compared->head, ms.head)) return {};
  return "its ledger says another change of " + std::string(metric) + " than was compared";
}

/// Of a store's ledger each row is what was compared or observed.
std::string of_store(const RunResult& result, const Ledger& ledger) {
  std::string found = other_than_compared(result, kStep, ledger.step);
  for (const LedgerRow& row : ledger.rows) {
    const std::string metric = metric_of(row);
    if (found.empty() && !metric.empty()) found = other_than_compared(result, metric, row.ms);
  }
  return found;
}

/// In session it is the mean of what the processes of an arm said.
std::string of_arm(const std::vector<MetricValue>& metrics, double step_ms, const char* arm) {
  const auto metric = std::ranges::find(metrics, kStep, &MetricValue::id);
  if (metric == metrics.end() || metric->samples.empty() || metric->unit != "ms") return {};
  const auto [low, high] = std::ranges::minmax(metric->samples);
  const double rounding = std::max(kLeastMs, kRounding * std::abs(high));
  if (step_ms >= low - rounding && step_ms <= high + rounding) return {};
  return std::string("its ledger says a step of the ") + arm + " that none of its processes took";
}

std::string of_session(const RunResult& result, const Ledger& ledger) {
  if (!result.base_arm) return "its ledger is against a base, and the run has none";
  const std::string base = of_arm(result.base_arm->metrics, ledger.step.base, "base");
  return base.empty() ? of_arm(result.metrics, ledger.step.head, "head") : base;
}

/// The rows sum to the step, and the ledger is established where they do without `unattributed`.
std::string of_sum(const Ledger& ledger) {
  const bool closed = !ledger.rows.empty() && ledger.rows.back().part == LedgerPart::unattributed;
  if (!closed) return {};
  double sum = 0.0;
  double largest = 0.0;
  for (const LedgerRow& row : ledger.rows) {
    sum += row.ms.change();
    largest = std::max({largest, std::abs(row.ms.base), std::abs(row.ms.head)});
  }
  if (!(std::abs(sum - ledger.step.change()) <= std::max(kLeastMs, kRounding * largest)))
    return "the rows of its ledger do not sum to the change of the step";
  const LedgerChange& rest = ledger.rows.back().ms;
  const double allowed = std::max({kRestShare * std::abs(ledger.step.change()),
                                   kErrorsPerHalfWidth * rest.half_width.value_or(0.0), kLeastMs});
  if (ledger.established && std::abs(rest.change()) > allowed * (1.0 + kRounding))
    return "its ledger says that it is established, and its unattributed part is too large";
  return {};
}

/// Together the causes explain no more than the change, or than its upper end where it may be none.
std::string of_causes(const RunResult& result, const Ledger& ledger) {
  double explained = 0.0;
  for (const Diagnosis& cause : result.diagnosis) {
    if (!(cause.explains_ms >= 0.0))
      return "its cause " + cause.rule + " explains less than nothing";
    explained += cause.explains_ms;
  }
  const LedgerChange& step = ledger.step;
  const double most = std::max(0.0, step.change() + (step.within_noise() ? *step.half_width : 0.0));
  if (explained <= most + std::max(kLeastMs, kRounding * std::abs(step.head))) return {};
  return "its causes explain more than the step changed";
}

}  // namespace

std::string contradiction_of_ledger(const RunResult& result) {
  if (!result.ledger)
    return result.diagnosis.empty() ? std::string() : "it names a cause, and has no ledger";
  const Ledger& ledger = *result.ledger;
  // Without rows nothing was taken apart, and `problem` says why.
  if (!ledger.rows.empty()) {
    std::string found =
        ledger.base.processes == 0 ? of_store(result, ledger) : of_session(result, ledger);
    if (found.empty()) found = of_sum(ledger);
    if (!found.empty()) return found;
  }
  return of_causes(result, ledger);
}

}  // namespace perfgate::gates
