#include "gates/contradiction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "gates/accepts.h"
#include "gates/contradiction_ledger.h"
#include "gates/judge.h"
#include "gates/verdict.h"

namespace perfgate::gates {
namespace {

/// What a double may lose on its way through text.
constexpr double kRounding = 1e-9;

std::string word(Outcome outcome) { return std::string(to_string(outcome)); }

bool has_traces(const RunResult& result) {
  return std::ranges::any_of(result.measurement.processes, [](const ProcessRecord& process) {
    return process.role == ProcessRole::trace && !process.repeated;
  });
}

std::string of_processes(const RunResult& result) {
  for (const ProcessRecord& process : result.measurement.processes) {
    const bool counts = process.role != ProcessRole::control && !process.repeated;
    if (!counts || process.state == ProcessState::ok) continue;
    return "process " + std::to_string(process.index) + " is " +
           std::string(to_string(process.state)) + ", and the verdict is not invalid";
  }
  return {};
}

/// A row of a session may be over the processes of one stage, and the run's own value is over both.
bool is_among(const std::vector<MetricValue>& metrics, const std::string& id, double value) {
  const auto metric = std::ranges::find(metrics, id, &MetricValue::id);
  if (metric == metrics.end() || metric->samples.empty()) return false;
  const auto [low, high] = std::ranges::minmax(metric->samples);
  const double rounding = kRounding * std::abs(value);
  return value >= low - rounding && value <= high + rounding;
}

bool has_fresh(const RunResult& result, Arm arm) {
  return std::ranges::any_of(result.measurement.processes, [&](const ProcessRecord& process) {
    return process.stage == Stage::confirm && process.arm == arm && !process.repeated &&
           process.role != ProcessRole::control;
  });
}

std::string of_session_row(const RunResult& result, const Comparison& row) {
  if (!result.base_arm) return row.metric + " is judged against a base, and the run has none";
  if (!is_among(result.metrics, row.metric, row.head)) {
    return row.metric + " is judged by a value that no process of the head explains";
  }
  if (row.n_base > 0 && !is_among(result.base_arm->metrics, row.metric, row.base)) {
    return row.metric + " is judged against a value that no process of the base explains";
  }
  // A count is its own confirmation; a time needs processes that no look had seen.
  if (row.confirmed && row.p_value &&
      !(has_fresh(result, Arm::base) && has_fresh(result, Arm::head))) {
    return row.metric + " is confirmed, and no fresh pairs ran";
  }
  return {};
}

std::string of_row(const RunResult& result, const Comparison& row) {
  if (row.outcome == Outcome::invalid) return {};
  const Validity validity = result.analysis.capture.validity;
  if (row.kind != MetricKind::timed && validity != Validity::valid) {
    return row.metric + " is judged, and the capture is " + std::string(to_string(validity));
  }
  if (row.against == Against::session) return of_session_row(result, row);
  const auto metric = std::ranges::find(result.metrics, row.metric, &MetricValue::id);
  if (metric == result.metrics.end()) {
    return row.metric + " is judged, and the run has no value of it";
  }
  // Where fresh pairs ran too, the row is of the looks, and the run's value of both.
  const bool own = result.base_arm.has_value()
                       ? is_among(result.metrics, row.metric, row.head)
                       : std::abs(metric->value - row.head) <= kRounding * std::abs(metric->value);
  if (!own) {
    return row.metric + " is judged by another value than the run has";
  }
  return {};
}

/// Such a row passes, or is what was beneath a broken limit (accepts.h).
bool is_accepted(const RunResult& result, const Comparison& row) {
  return std::ranges::any_of(result.accepted, [&](const AcceptUse& use) {
    return use.state == AcceptState::used && use.accept.metric == row.metric &&
           keeps_ceiling(use.accept, row.better, row.head);
  });
}

/// The interval lies above the margin exactly where "no worse than the margin" is less likely than
/// half of what the interval leaves out: both come out of one t (bounds.h). The margin itself may
/// be an `at_least`, which the row does not hold.
bool is_beyond_margin(const Comparison& row) {
  return row.p_value && row.interval_level > 0.0 &&
         *row.p_value < 0.5 * (1.0 - row.interval_level) * (1.0 - kRounding);
}

std::string says(const Comparison& row, const std::string& but) {
  return row.metric + " says " + word(row.outcome) + ", and " + but;
}

/// A word is edited easily; the figures beside it must come to the same.
std::string of_outcome(const Comparison& row) {
  const Outcome said = row.outcome;
  std::vector<Outcome> found;
  for (const RuleFinding& finding : row.findings) found.push_back(finding.outcome);
  if (!found.empty() && worst_outcome(found) != said)
    return says(row, "what its rules found is " + word(worst_outcome(found)));
  const bool worse = said == Outcome::suspected || said == Outcome::fail;
  if (is_beyond_margin(row) && !worse) return says(row, "its interval lies above its margin");
  if (row.p_value && (said == Outcome::no_baseline || said == Outcome::not_comparable))
    return says(row, "it was compared");
  if (said == Outcome::pass && row.unsettled != Unsettled::no)
    return says(row, "it is not settled: " + std::string(to_string(row.unsettled)));
  if (said == Outcome::pass && row.passing_tolerance_ratio > 0.0)
    return says(row, "its interval reaches over its tolerance");
  if (said == Outcome::suspected && row.unsettled == Unsettled::no)
    return says(row, "nothing keeps it from failing");
  return {};
}

/// The codes that stand for one outcome of a row.
constexpr std::array<std::pair<std::string_view, Outcome>, 8> kOutcomeOfCode{{
    {"breach", Outcome::fail},
    {"confirmed", Outcome::fail},
    {"suspected", Outcome::suspected},
    {"unconfirmed", Outcome::suspected},
    {"inconclusive", Outcome::inconclusive},
    {"not_comparable", Outcome::not_comparable},
    {"no_baseline", Outcome::no_baseline},
    {"within_tolerance", Outcome::pass},
}};

/// Of an earlier perfgate, whose reasons name no metric, nothing is known.
std::string of_reason(const RunResult& result, const Reason& reason) {
  if (voids_report(reason) && result.verdict.outcome != Outcome::fail)
    return "the verdict is not invalid, and its reason is " + reason.code;
  const auto* code = std::ranges::find(kOutcomeOfCode, std::string_view(reason.code),
                                       &std::pair<std::string_view, Outcome>::first);
  if (reason.metric.empty() || code == kOutcomeOfCode.end()) return {};
  const auto row = std::ranges::find(result.comparisons, reason.metric, &Comparison::metric);
  if (row == result.comparisons.end()) return reason.metric + " has a reason, and is not compared";
  if (row->outcome == code->second) return {};
  return says(*row, "the reason of the verdict says " + word(code->second));
}

double worsening(const Comparison& row) {
  const double change = row.head - row.base;
  return row.better == Better::lower ? change : -change;
}

/// A row that says pass, by the keys of its gate.
std::string of_passing_row(const GateSpec& gate, const Comparison& row) {
  const double rounding = kRounding * std::abs(row.head);
  if ((gate.max && row.head > *gate.max + rounding) ||
      (gate.min && row.head < *gate.min - rounding)) {
    return says(row, "it breaks the limit of its gate");
  }
  if (row.n_base == 0) return {};
  if (row.kind == MetricKind::counted) {
    if (worsening(row) > gate.slack.value_or(0.0) + rounding)
      return says(row, "its count got worse");
    if (gate.exact && worsening(row) < -rounding) return says(row, "its gate is exact");
    return {};
  }
  if (row.interval_known && !gate.at_least &&
      (row.better == Better::lower ? row.ci_low_ratio : -row.ci_high_ratio) >
          row.margin_ratio + kRounding)
    return says(row, "its interval lies above its margin");
  return {};
}

bool is_other(const std::optional<double>& declared, double used) {
  return declared && std::abs(*declared - used) > kRounding * std::abs(*declared);
}

std::string of_gate(const RunResult& result, const GateSpec& gate) {
  const auto row = std::ranges::find(result.comparisons, gate.metric, &Comparison::metric);
  if (row == result.comparisons.end()) return "the gate on " + gate.metric + " was not judged";
  if (gate.better && row->outcome != Outcome::invalid && row->better != *gate.better)
    return row->metric + " is judged in another direction than its gate says";
  if (row->p_value && (is_other(gate.margin_ratio, row->margin_ratio) ||
                       is_other(gate.tolerance_ratio, row->tolerance_ratio)))
    return row->metric + " is judged by other bounds than its gate has";
  if (row->outcome != Outcome::pass || is_accepted(result, *row)) return {};
  return of_passing_row(gate, *row);
}

}  // namespace

std::string contradiction(const RunResult& result) {
  const Outcome said = result.verdict.outcome;
  std::vector<Outcome> outcomes;
  outcomes.reserve(result.comparisons.size());
  for (const Comparison& row : result.comparisons) outcomes.push_back(row.outcome);
  if (has_traces(result) && result.analysis.capture.validity != Validity::valid) {
    outcomes.push_back(Outcome::invalid);
  }
  const Outcome worst = worst_outcome(outcomes);
  // Why a run is invalid may lie in the measurement alone, which no comparison shows.
  const bool invalid = said == Outcome::invalid && worst != Outcome::fail;
  if (said != worst && !invalid) {
    if (result.comparisons.empty()) return "it says " + word(said) + ", and nothing was compared";
    return "it says " + word(said) + ", and the worst of what was compared is " + word(worst);
  }
  if (said == Outcome::invalid) return {};
  std::string found = of_processes(result);
  for (const Comparison& row : result.comparisons) {
    if (found.empty()) found = of_row(result, row);
    if (found.empty() && row.outcome != Outcome::invalid && !is_accepted(result, row))
      found = of_outcome(row);
  }
  for (const Reason& reason : result.verdict.reasons) {
    if (found.empty()) found = of_reason(result, reason);
  }
  if (found.empty()) found = contradiction_of_ledger(result);
  return found;
}

std::string contradiction_of_gates(const RunResult& result, std::span<const GateSpec> gates) {
  if (result.verdict.outcome == Outcome::invalid) return {};
  for (const GateSpec& gate : gates) {
    if (std::string found = of_gate(result, gate); !found.empty()) return found;
  }
  return {};
}

}  // namespace perfgate::gates
