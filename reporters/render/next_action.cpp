#include "reporters/render/next_action.h"

#include <algorithm>

#include <fmt/format.h>

#include "reporters/render/after_verdict.h"
#include "reporters/render/change_facts.h"
#include "reporters/render/not_comparable.h"
#include "reporters/render/process_problem.h"
#include "reporters/render/session_words.h"
#include "reporters/render/shell_command.h"
#include "reporters/render/summary_lines.h"
#include "reporters/render/units.h"

namespace perfgate::render {
namespace {

constexpr std::string_view kRecord = "--record";

bool is_recorded(const RunResult& result) { return !result.recorded.empty(); }

// "end timing.processes with 17 in the workload file".
std::string more_processes(const RunResult& result, const Comparison& row) {
  return fmt::format("end {}.processes with {} in {}",
                     row.kind == MetricKind::timed ? "timing" : "trace",
                     row.n_head + row.processes_to_settle,
                     result.workload_path.empty() ? "a workload file (perfgate init writes one)"
                                                  : "the workload file");
}

// Runs of the baseline that are there once this one is counted, and those that are missing then.
struct StoreNeed {
  int have = 0;
  int more = 0;
};
StoreNeed store_need(const RunResult& result, const Comparison& row) {
  const int stored_now = is_recorded(result) ? 1 : 0;
  return {row.n_base + stored_now, std::max(row.runs_to_settle - stored_now, 0)};
}

std::string runs(int count) { return fmt::format("{} run{}", count, count == 1 ? "" : "s"); }

constexpr std::string_view kNotHere = " on the base branch, not on this change";

// `sentence` says how many runs are missing and where they come from. The command never records:
// this run is worse than the store, or may be. Where there is no baseline at all the command does,
// and the sentence says where it belongs.
NextAction wait_for_runs(const RunResult& result, int more, const std::string& sentence) {
  if (more == 0) {
    return {is_recorded(result) ? "This run was stored: run again to be judged"
                                : "Run again to be judged",
            run_command(result)};
  }
  const std::string stored = is_recorded(result) ? "This run was stored. " : "";
  return {stored + sentence + ". Then run again", run_command(result)};
}

std::string unplaced_words(const RunResult& result, const Comparison& row) {
  return fmt::format(
      "The newest runs of the store lie apart from its level, by a change or by "
      "chance: record {} more{}, and they are a level of their own",
      store_need(result, row).more, kNotHere);
}

NextAction after_suspected(const RunResult& result, const Comparison& row) {
  const StoreNeed need = store_need(result, row);
  const std::string or_policy = ", or let a suspicion fail (--on-suspected fail)";
  switch (row.unsettled) {
    case Unsettled::few_runs:
      return wait_for_runs(
          result, need.more,
          fmt::format("The store has {} of the {} runs that a FAIL needs: record {} more{}{}",
                      need.have, need.have + need.more, need.more, kNotHere, or_policy));
    case Unsettled::unplaced_level:
      return wait_for_runs(result, need.more, unplaced_words(result, row) + or_policy);
    case Unsettled::other_gpu:
      return wait_for_runs(
          result, need.more,
          fmt::format("A FAIL needs {} more of the baseline on this very GPU: record them{}{}",
                      runs(need.more), kNotHere, or_policy));
    case Unsettled::lone_run:
      return {"Runs of the store stray by themselves, as this one may: judge the change against " +
                  std::string("its base in one session, where fresh pairs decide") + or_policy,
              run_command(result, "--base DIR")};
    case Unsettled::unknown_gpu:
      return {
          "Which GPU ran is not known, so the store can only suspect; see what this machine says",
          "perfgate doctor"};
    default: break;
  }
  if (row.processes_to_settle > 0) {
    return {fmt::format("{} more processes would be evidence for a FAIL, if the change stays: {}",
                        row.processes_to_settle, more_processes(result, row)),
            run_command(result)};
  }
  if (row.runs_to_settle > 0) {
    return wait_for_runs(result, need.more,
                         fmt::format("{} more in the store would be evidence for a FAIL, if the "
                                     "change stays: record them{}{}",
                                     runs(need.more), kNotHere, or_policy));
  }
  return {
      "Read the compared rows below: neither more processes nor more runs would be evidence for "
      "a FAIL over so many gates; gate fewer metrics" +
          or_policy,
      ""};
}

std::string or_tolerance(const Comparison& row) {
  if (!(row.passing_tolerance_ratio > row.tolerance_ratio)) return {};
  return fmt::format("; a tolerance above {} would let this run pass",
                     format_percent(row.passing_tolerance_ratio));
}

NextAction after_wide_interval(const RunResult& result, const Comparison& row) {
  if (row.processes_to_settle > 0) {
    return {fmt::format("{} more process{} would settle it: {}{}", row.processes_to_settle,
                        row.processes_to_settle == 1 ? "" : "es", more_processes(result, row),
                        or_tolerance(row)),
            run_command(result)};
  }
  if (row.runs_to_settle > 0) {
    const int more = store_need(result, row).more;
    return wait_for_runs(result, more,
                         fmt::format("{} more in the store would settle it: record them{}{}",
                                     runs(more), kNotHere, or_tolerance(row)));
  }
  return {
      "Neither more processes nor more runs would settle it: runs differ too much for this gate" +
          or_tolerance(row),
      ""};
}

NextAction after_inconclusive(const RunResult& result, const Comparison& row) {
  if (gate_mistake(result) != nullptr) {
    return {std::string("Correct the workload file (exit code 2): raise the tolerance to the "
                        "smallest honest one, which the reason above gives") +
                (row.processes_to_settle > 0 ? ", or " + more_processes(result, row) : ""),
            ""};
  }
  switch (row.unsettled) {
    case Unsettled::wide_interval: return after_wide_interval(result, row);
    case Unsettled::lone_process:
      return {
          "One process was disturbed: see that nothing else runs here (perfgate doctor), then "
          "run again",
          run_command(result)};
    case Unsettled::unplaced_level:
      return wait_for_runs(result, store_need(result, row).more, unplaced_words(result, row));
    case Unsettled::no_spread:
      if (is_recorded(result)) {
        return {
            "This run was stored as the second of the baseline, which shows how much runs differ: "
            "run again to be judged",
            run_command(result)};
      }
      return wait_for_runs(result, 1,
                           fmt::format("The store has 1 run, which does not show how much runs "
                                       "differ: record a second one{}",
                                       kNotHere));
    case Unsettled::tracing:
      return {
          "Gate untraced metrics instead (step_time_p50, reported/NAME), or trace fewer steps: "
          "times out of captures count only where tracing hardly changes the step",
          ""};
    case Unsettled::zero_ratio:
      return {"Give the gate of " + row.metric + " an at_least in " + row.unit, ""};
    case Unsettled::counts_disagree:
      return {"Find out what the processes of one run do differently: " + row.metric +
                  " can be gated only if each does the same work",
              ""};
    case Unsettled::better_count:
      if (is_recorded(result)) return {"This run was stored: its count is the baseline's now", ""};
      return {
          "If the better count is meant, record it on the base branch after the merge, not here; "
          "else find out what is done no more",
          ""};
    default: break;
  }
  return {"Read the compared rows below", ""};
}

NextAction after_no_baseline(const RunResult& result, const Comparison* row) {
  if (row != nullptr && row->unsettled == Unsettled::no_ancestor) {
    if (is_recorded(result)) {
      return {"This run was stored beside the branch's other runs, which it did not grow from", ""};
    }
    return {"Merge the base branch or rebase onto it: its recorded runs are of no ancestor", ""};
  }
  const StoreNeed need = row == nullptr ? StoreNeed{} : store_need(result, *row);
  if (is_recorded(result)) {
    if (need.more == 0) return {"This run was stored as the first of the baseline", ""};
    return {
        fmt::format("This run was stored as the first of the baseline; record {} more{}, then a "
                    "regression can FAIL",
                    need.more, kNotHere),
        run_command(result, kRecord)};
  }
  if (need.more <= 1) {
    return {fmt::format("Record this workload{}", kNotHere), run_command(result, kRecord)};
  }
  return {fmt::format("Record this workload{}; from {} on a regression can FAIL", kNotHere,
                      runs(need.have + need.more)),
          run_command(result, kRecord)};
}

std::string_view first_code(const RunResult& result) {
  const auto& reasons = result.verdict.reasons;
  return reasons.empty() ? std::string_view{} : std::string_view(reasons.front().code);
}

// "(its last words are here)" only where it said any.
NextAction mend_program(const RunResult& result) {
  const char* words = last_words(result, 1).empty() ? "" : " (its last words are here)";
  const ProcessRecord* process = failed_process(result);
  const bool base = process != nullptr && process->arm == Arm::base;
  return {fmt::format("Fix the {}{}, then run again", base ? "base" : "program", words),
          run_command(result)};
}

NextAction after_silent(const RunResult& result, const ProcessRecord& process) {
  std::string remedy = problem_parts(process).remedy;
  if (remedy.empty()) return mend_program(result);
  // A command keeps its name.
  if (!remedy.starts_with("perfgate ") && remedy.front() >= 'a' && remedy.front() <= 'z')
    remedy.front() = static_cast<char>(remedy.front() - 'a' + 'A');
  return {remedy + ". Then run again", run_command(result)};
}

NextAction after_problem(const RunResult& result) {
  switch (result.verdict.problem.value_or(MeasurementProblem{}).code) {
    case ProblemCode::recording_incomplete:
      return {"Take a complete copy of the recording, or measure again", run_command(result)};
    case ProblemCode::different_work:
      return {
          "Make every process do the same work (fix seeds and inputs): the program reports other "
          "work from process to process. Then run again",
          run_command(result)};
    case ProblemCode::process_failed: return mend_program(result);
    case ProblemCode::unknown: break;
  }
  return {"Remove what the reason above names, then run again", run_command(result)};
}

NextAction after_invalid(const RunResult& result) {
  if (const ProcessRecord* process = failed_process(result)) {
    switch (process->state) {
      case ProcessState::not_started:
        return {process->arm == Arm::base
                    ? "Fix the base (--base): its program is not there. Then run again"
                    : "Correct the program's path in the workload file, then run again",
                run_command(result)};
      case ProcessState::timed_out:
        return {"Find out why it hangs, or raise run.command.timeout", run_command(result)};
      case ProcessState::interrupted: return {"Run again to the end", run_command(result)};
      case ProcessState::silent: return after_silent(result, *process);
      case ProcessState::ok:
      case ProcessState::crashed: break;
    }
    return mend_program(result);
  }
  if (first_code(result) == "measurement_invalid") return after_problem(result);
  if (result.analysis.capture.output.state == OutputCheck::State::differs) {
    return {
        "Find out why the program computes something else when it is traced (races, seeds, time "
        "limits). Then run again",
        run_command(result)};
  }
  if (result.analysis.capture.validity != Validity::valid && !result.analysis.traced.empty()) {
    return {"Remove what spoilt the capture; the checks of this machine help", "perfgate doctor"};
  }
  if (first_code(result) == "less_work" || first_code(result) == "other_output") {
    return {.sentence = "Make the program do the work that it did, then run again",
            .command = run_command(result),
            .more = {{"if the change is meant", accept_command(result)}}};
  }
  if (first_code(result) == "invalid_metric") {
    return {
        "Make the program produce what its gates ask for, or take the gate out of the workload "
        "file. Then run again",
        run_command(result)};
  }
  return {"Check this machine", "perfgate doctor"};
}

}  // namespace

const Reason* gate_mistake(const RunResult& result) {
  const auto& reasons = result.verdict.reasons;
  const auto it = std::ranges::find(reasons, "gate_can_never_pass", &Reason::code);
  return it == reasons.end() ? nullptr : &*it;
}

NextAction next_action(const RunResult& result, const Comparison* row,
                       std::span<const Contribution> parts) {
  const Outcome outcome = result.verdict.outcome;
  if (row != nullptr && (outcome == Outcome::suspected || outcome == Outcome::inconclusive)) {
    if (NextAction open = after_open_pairs(result, *row); !open.sentence.empty()) return open;
  }
  switch (result.verdict.outcome) {
    case Outcome::pass: return after_pass(result, row);
    case Outcome::fail: return after_fail(result, row, parts);
    case Outcome::suspected:
      return row == nullptr ? NextAction{"Read the notes below", ""}
                            : after_suspected(result, *row);
    case Outcome::inconclusive:
      return row == nullptr ? NextAction{"Read the notes below", ""}
                            : after_inconclusive(result, *row);
    case Outcome::not_comparable: return after_not_comparable(result);
    case Outcome::no_baseline: return after_no_baseline(result, row);
    case Outcome::invalid: return after_invalid(result);
  }
  return {};
}

}  // namespace perfgate::render
