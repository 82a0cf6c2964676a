#include "gates/contradiction.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gates/judge.h"

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
  }
  return found;
}

}  // namespace perfgate::gates
