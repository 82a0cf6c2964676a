#include "reporters/render/next_action.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "reporters/render/shell_command.h"
#include "reporters/render/units.h"

namespace perfgate::render {
namespace {

constexpr std::string_view kRecord = "--record";

bool is_recorded(const RunResult& result) { return !result.recorded.empty(); }

// What usually stands behind idle time of a cause that grew.
constexpr std::array<std::pair<IdleCause, std::string_view>, 7> kLeads{{
    {IdleCause::synchronisation, "Look for a synchronising call that was added"},
    {IdleCause::launch_overhead,
     "Check that CUDA graphs are still used: the GPU waits for launches"},
    {IdleCause::device_wait,
     "Check that CUDA graphs are still used, and look for a new dependency between streams"},
    {IdleCause::allocation, "Look for allocations inside the step"},
    {IdleCause::transfer, "Look for a copy that the step now waits for"},
    {IdleCause::jit, "Look for kernels compiled or loaded inside the step; warm up longer"},
    {IdleCause::host, "Look at what the host does between launches"},
}};

NextAction after_fail(const RunResult& result, const Comparison* row,
                      std::span<const Contribution> parts) {
  std::string lead = "Read the compared rows below";
  const auto largest = std::ranges::find_if(
      parts, [](const Contribution& part) { return part.notable && part.change_ms > 0.0; });
  if (largest != parts.end()) {
    lead = "Compare the " + largest->name + " kernels below with the baseline's";
    if (largest->name == "GPU idle") lead = "Look at the gap sites below";
    for (const auto& [cause, words] : kLeads) {
      if (largest->name == "idle " + std::string(to_string(cause))) lead = words;
    }
  } else if (row != nullptr && row->kind == MetricKind::counted) {
    lead = "Find out why " + row->metric + " changed";
  }
  if (is_recorded(result)) return {lead + ". This run was stored as a point of the baseline", ""};
  return {lead + ". If the change is meant, record it on the base branch",
          run_command(result, kRecord)};
}

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

NextAction record_more(const RunResult& result, const std::string& sentence) {
  const std::string stored = is_recorded(result) ? "This run was stored. " : "";
  return {stored + sentence, run_command(result, kRecord)};
}

NextAction after_suspected(const RunResult& result, const Comparison& row) {
  const StoreNeed need = store_need(result, row);
  const std::string or_policy = ", or let a suspicion fail (--on-suspected fail)";
  switch (row.unsettled) {
    case Unsettled::few_runs:
      return record_more(
          result,
          fmt::format("The store has {} of the {} runs that a FAIL needs: record {} more on "
                      "the base branch{}",
                      need.have, need.have + need.more, need.more, or_policy));
    case Unsettled::other_gpu:
      return record_more(
          result,
          fmt::format("A FAIL needs {} more of the baseline on this very GPU: record them on "
                      "the base branch{}",
                      runs(need.more), or_policy));
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
    return record_more(result,
                       fmt::format("{} more in the store would be evidence for a FAIL, if the "
                                   "change stays: record them on the base branch{}",
                                   runs(need.more), or_policy));
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
    return record_more(result,
                       fmt::format("{} more in the store would settle it: record them on the "
                                   "base branch{}",
                                   runs(store_need(result, row).more), or_tolerance(row)));
  }
  return {
      "Neither more processes nor more runs would settle it: runs differ too much for this gate" +
          or_tolerance(row),
      ""};
}

NextAction after_inconclusive(const RunResult& result, const Comparison& row) {
  switch (row.unsettled) {
    case Unsettled::wide_interval: return after_wide_interval(result, row);
    case Unsettled::no_spread:
      if (is_recorded(result)) {
        return {
            "This run was stored as the second of the baseline, which shows how much runs differ: "
            "run again to be judged",
            run_command(result)};
      }
      return {
          "The store has 1 run, which does not show how much runs differ: record a second one on "
          "the base branch",
          run_command(result, kRecord)};
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
      return {"If the lower count is meant, record it on the base branch",
              run_command(result, kRecord)};
    default: break;
  }
  return {"Read the compared rows below", ""};
}

NextAction after_not_comparable(const RunResult& result) {
  const auto& differences = result.baseline.comparability.environment;
  const bool stored = is_recorded(result);
  const auto stuck_on = [&](Unsettled what) {
    return std::ranges::find(result.comparisons, what, &Comparison::unsettled) !=
           result.comparisons.end();
  };
  if (differences.empty() && stuck_on(Unsettled::other_unit)) {
    return {
        "Report the metric in the baseline's unit, or under another name: two units are never "
        "compared",
        ""};
  }
  if (differences.empty() && stuck_on(Unsettled::control_since)) {
    return {
        "Compare the GPU with what it was when the baseline was recorded (clocks, power cap, "
        "neighbours): its controls run at another speed now",
        "perfgate doctor"};
  }
  if (differences.empty()) {
    return {"Run again on a quiet GPU: its speed changed while this run was measured",
            run_command(result)};
  }
  if (std::ranges::any_of(differences, is_workload_digest, &FingerprintDifference::key)) {
    if (stored) return {"This run was stored as the first of a baseline for the changed file", ""};
    return {
        "Record a new baseline for the changed file on the base branch, or give the changed "
        "workload a name of its own",
        run_command(result, kRecord)};
  }
  if (stored) return {"This run was stored as the first of a baseline for this machine", ""};
  return {"Measure on the baseline's kind of machine, or record a baseline for this one",
          run_command(result, kRecord)};
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
        fmt::format("This run was stored as the first of the baseline; record {} more on the base "
                    "branch, then a regression can FAIL",
                    need.more),
        run_command(result, kRecord)};
  }
  if (need.more <= 1) {
    return {"Record this workload on the base branch", run_command(result, kRecord)};
  }
  return {fmt::format("Record this workload on the base branch; from {} on a regression can FAIL",
                      runs(need.have + need.more)),
          run_command(result, kRecord)};
}

NextAction after_invalid(const RunResult& result) {
  if (const ProcessRecord* process = failed_process(result)) {
    switch (process->state) {
      case ProcessState::not_started:
        return {"Correct the program's path in the workload file, then run again",
                run_command(result)};
      case ProcessState::timed_out:
        return {"Find out why it hangs, or raise run.command.timeout", run_command(result)};
      case ProcessState::interrupted: return {"Run again to the end", run_command(result)};
      case ProcessState::silent:
        return {"Make the program hand over its results as said above, then run again",
                run_command(result)};
      case ProcessState::ok:
      case ProcessState::crashed: break;
    }
    return {"Fix the program (its last words are here), then run again", run_command(result)};
  }
  if (result.analysis.capture.validity != Validity::valid && !result.analysis.traced.empty()) {
    return {"Remove what spoilt the capture; the checks of this machine help", "perfgate doctor"};
  }
  return {"Check this machine", "perfgate doctor"};
}

}  // namespace

NextAction next_action(const RunResult& result, const Comparison* row,
                       std::span<const Contribution> parts) {
  switch (result.verdict.outcome) {
    case Outcome::pass:
      if (is_recorded(result)) return {"Nothing to do; this run was stored", ""};
      if (row != nullptr && row->improved) {
        return {"Nothing to fix; record the better level on the base branch",
                run_command(result, kRecord)};
      }
      return {"Nothing to do", ""};
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
