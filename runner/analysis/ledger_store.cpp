// The ledger against a store, which keeps metrics and no captures.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runner/analysis/ledger.h"
#include "runner/analysis/ledger_rows.h"
#include "runner/statistics/student_t.h"

namespace perfgate::analysis {
namespace {

constexpr std::string_view kStepMetric = "step_time_p50";
constexpr std::string_view kFamilyPrefix = "family_ms/";
constexpr std::string_view kIdlePrefix = "idle_ms/";
constexpr std::array<std::string_view, 4> kCounts{"kernel_launches", "launch_calls",
                                                  "graph_launches", "copies"};

/// A metric with both sides, gated or not.
struct Seen {
  std::string_view metric;
  LedgerChange change;
  int n_base = 0;
};

constexpr double kCoverage = 0.95;
/// Of Observation::noise (runner/model/comparison.h).
constexpr double kObservedCoverage = 0.99;
/// An interval against one run is out of a calibration: three occasions of A/A runs.
constexpr double kCalibrationDegrees = 2.0;

/// All rows of a ledger say 95 %; what they are made of says 99 %, or what the number of looks asks
/// for. All are t with one degree less than there are runs. Empty = it does not say.
std::optional<double> at_95(double half_width, double coverage, int runs) {
  if (!(coverage > 0.0 && coverage < 1.0)) return std::nullopt;
  const double degrees = runs > 1 ? runs - 1.0 : kCalibrationDegrees;
  const auto t = [&](double two_sided) {
    return statistics::student_t_quantile((1.0 + two_sided) / 2.0, degrees);
  };
  return half_width * t(kCoverage) / t(coverage);
}

std::vector<Seen> both_sides(std::span<const Comparison> compared,
                             std::span<const Observation> observed) {
  std::vector<Seen> seen;
  for (const Comparison& row : compared) {
    if (row.against != Against::store || row.n_base <= 0) continue;
    Seen one{.metric = row.metric, .change = {.base = row.base, .head = row.head}};
    if (row.interval_known)
      one.change.half_width = at_95(row.base * (row.ci_high_ratio - row.ci_low_ratio) / 2.0,
                                    row.interval_level, row.n_base);
    one.n_base = row.n_base;
    seen.push_back(one);
  }
  for (const Observation& row : observed) {
    Seen one{.metric = row.metric, .change = {.base = row.base, .head = row.head}};
    if (row.noise) one.change.half_width = at_95(*row.noise, kObservedCoverage, row.n_base);
    one.n_base = row.n_base;
    seen.push_back(one);
  }
  return seen;
}

void add_row(const Seen& seen, Ledger& ledger) {
  for (const auto& [prefix, part] :
       {std::pair(kFamilyPrefix, LedgerPart::family), std::pair(kIdlePrefix, LedgerPart::idle)}) {
    if (!seen.metric.starts_with(prefix)) continue;
    ledger.rows.push_back(
        {.part = part, .name = std::string(seen.metric.substr(prefix.size())), .ms = seen.change});
  }
}

/// Out of the intervals of the step and of each row; a 95 % half width is about two standard
/// errors.
RestError rest_error(const Ledger& ledger) {
  double squares = std::pow(ledger.step.half_width.value_or(0.0), 2);
  bool known = ledger.step.half_width.has_value();
  for (const LedgerRow& row : ledger.rows) {
    squares += std::pow(row.ms.half_width.value_or(0.0), 2);
    known = known && row.ms.half_width.has_value();
  }
  if (!known) return {};
  return {.standard_error = std::sqrt(squares) / 2.0, .half_width = std::sqrt(squares)};
}

}  // namespace

Ledger make_ledger(std::span<const Comparison> compared, std::span<const Observation> observed,
                   const Analysis& head) {
  Ledger ledger;
  const std::vector<Seen> seen = both_sides(compared, observed);
  bool has_step = false;
  for (const Seen& one : seen) {
    add_row(one, ledger);
    if (one.metric == kStepMetric) {
      has_step = true;
      ledger.step = one.change;
      ledger.base.step_ms = one.change.base;
      ledger.head.step_ms = one.change.head;
      ledger.base.traced = one.n_base;
    }
    if (std::ranges::find(kCounts, one.metric) != kCounts.end()) {
      ledger.base.counts[std::string(one.metric)] = one.change.base;
      ledger.head.counts[std::string(one.metric)] = one.change.head;
    }
  }
  if (!has_step || ledger.rows.empty()) {
    ledger.rows.clear();
    ledger.problem = "the store has no step times or no times of families to compare with";
    return ledger;
  }
  ledger.head.traced = static_cast<int>(head.traced.size());
  std::ranges::stable_sort(ledger.rows, [](const LedgerRow& a, const LedgerRow& b) {
    return std::abs(a.ms.change()) > std::abs(b.ms.change());
  });
  close_ledger(rest_error(ledger), ledger);
  return ledger;
}

}  // namespace perfgate::analysis
