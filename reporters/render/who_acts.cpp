#include "reporters/render/who_acts.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "reporters/render/accepted_lines.h"
#include "reporters/render/next_action.h"
#include "reporters/render/sight.h"
#include "reporters/render/story.h"

namespace perfgate::render {
namespace {

enum class Actor : std::uint8_t { nobody, author, reviewer, baseline, machine, owner };

std::string words_of(Actor actor, const RunResult& result) {
  switch (actor) {
    case Actor::nobody: return {};
    case Actor::author: return "the author of this change";
    case Actor::reviewer: return "the reviewer";
    case Actor::baseline: return "whoever keeps the baseline";
    case Actor::machine: return "whoever keeps this machine";
    case Actor::owner: break;
  }
  const std::string who = "the owner of the workload";
  return result.workload_owner.empty() ? who : who + " (" + result.workload_owner + ")";
}

Actor after_pass(const RunResult& result, const Comparison* row) {
  if (accepted_count(result) > 0) return Actor::reviewer;
  if (row != nullptr && !after_hidden(result, *row).empty()) return Actor::owner;
  if (!result.recorded.empty()) return Actor::nobody;
  if (row != nullptr && row->improved) return Actor::baseline;
  return has_stale_accepts(result) ? Actor::owner : Actor::nobody;
}

// Suspected or inconclusive.
Actor after_undecided(const RunResult& result, const Comparison* row) {
  if (gate_mistake(result) != nullptr) return Actor::owner;
  if (row == nullptr) return Actor::author;
  switch (row->unsettled) {
    case Unsettled::few_runs:
    case Unsettled::other_gpu:
    case Unsettled::no_spread:
    case Unsettled::unplaced_level: return Actor::baseline;
    case Unsettled::unknown_gpu:
    case Unsettled::lone_process:
    case Unsettled::control_in_run: return Actor::machine;
    case Unsettled::wide_interval:
      return row->processes_to_settle == 0 && row->runs_to_settle > 0 ? Actor::baseline
                                                                      : Actor::owner;
    case Unsettled::unconfirmed:
    case Unsettled::tracing:
    case Unsettled::zero_ratio: return Actor::owner;
    default: break;
  }
  if (row->processes_to_settle > 0) return Actor::owner;
  return row->runs_to_settle > 0 ? Actor::baseline : Actor::author;
}

Actor after_not_comparable(const RunResult& result) {
  if (!result.recorded.empty()) return Actor::nobody;
  if (!result.baseline.comparability.environment.empty()) return Actor::baseline;
  const auto other = [](const Comparison& row) {
    return row.unsettled == Unsettled::other_unit || row.unsettled == Unsettled::other_direction;
  };
  return std::ranges::any_of(result.comparisons, other) ? Actor::author : Actor::machine;
}

Actor after_no_baseline(const Comparison* row) {
  return row != nullptr && row->unsettled == Unsettled::no_ancestor ? Actor::author
                                                                    : Actor::baseline;
}

Actor after_invalid(const RunResult& result) {
  if (const ProcessRecord* process = failed_process(result))
    return process->state == ProcessState::interrupted ? Actor::machine : Actor::author;
  const std::string_view code =
      result.verdict.reasons.empty() ? "" : std::string_view(result.verdict.reasons.front().code);
  if (code == "measurement_invalid") {
    const bool copied =
        result.verdict.problem && result.verdict.problem->code == ProblemCode::recording_incomplete;
    return copied ? Actor::machine : Actor::author;
  }
  const bool by_program = code == "less_work" || code == "other_output" ||
                          code == "invalid_metric" ||
                          result.analysis.capture.output.state == OutputCheck::State::differs;
  return by_program ? Actor::author : Actor::machine;
}

}  // namespace

std::string who_acts(const RunResult& result, const Comparison* row) {
  const auto actor = [&] {
    switch (result.verdict.outcome) {
      case Outcome::pass: return after_pass(result, row);
      case Outcome::fail: return Actor::author;
      case Outcome::suspected:
      case Outcome::inconclusive: return after_undecided(result, row);
      case Outcome::not_comparable: return after_not_comparable(result);
      case Outcome::no_baseline: return after_no_baseline(row);
      case Outcome::invalid: break;
    }
    return after_invalid(result);
  }();
  return words_of(actor, result);
}

}  // namespace perfgate::render
