#include "reporters/render/next_action.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace perfgate::render {
namespace {

// What usually stands behind idle time of a cause that grew.
constexpr std::array<std::pair<IdleCause, std::string_view>, 7> kLeads{{
    {IdleCause::synchronisation, "Look for a synchronising call that was added"},
    {IdleCause::launch_overhead,
     "Check that CUDA graphs are still used: the GPU waits for launches"},
    {IdleCause::device_wait, "Look for a new dependency between streams"},
    {IdleCause::allocation, "Look for allocations inside the step"},
    {IdleCause::transfer, "Look for a copy that the step now waits for"},
    {IdleCause::jit, "Look for kernels compiled or loaded inside the step; warm up longer"},
    {IdleCause::host, "Look at what the host does between launches"},
}};

// A command is there to be copied: a path with other characters than these goes into quotes.
std::string shell_word(std::string_view text) {
  static constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:,@%";
  if (text.find_first_not_of(kPlain) == std::string_view::npos) return std::string(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string run_command(const RunResult& result, std::string_view flags) {
  std::string command =
      "perfgate run " + (result.workload_path.empty() ? "FILE" : shell_word(result.workload_path));
  if (!flags.empty()) command.append(" ").append(flags);
  return command;
}

NextAction after_fail(const RunResult& result, const Comparison* row,
                      std::span<const Contribution> parts) {
  const std::string meant = ". If the change is meant, record it on the base branch";
  std::string lead = "Read the compared rows below";
  const auto largest = std::ranges::find_if(
      parts, [](const Contribution& part) { return part.notable && part.change_ms > 0.0; });
  if (largest != parts.end()) {
    lead = "Compare the " + largest->name + " kernels below with the baseline's";
    if (largest->name == "GPU idle") lead = "Find the grown gaps in the gap sites below";
    for (const auto& [cause, words] : kLeads) {
      if (largest->name == "idle " + std::string(to_string(cause))) lead = words;
    }
  } else if (row != nullptr && row->kind == MetricKind::counted) {
    lead = "Find out why " + row->metric + " changed";
  }
  return {lead + meant, run_command(result, "--record")};
}

NextAction after_inconclusive(const RunResult& result, const Comparison* row) {
  if (row != nullptr && row->processes_to_settle > 0) {
    return {fmt::format(
                "{} more processes would settle it: raise timing.processes in the workload file",
                row->processes_to_settle),
            run_command(result, "")};
  }
  return {"Run again on a quiet GPU, with more timing.processes in the workload file",
          run_command(result, "")};
}

NextAction after_invalid(const RunResult& result) {
  if (const ProcessRecord* process = failed_process(result)) {
    switch (process->state) {
      case ProcessState::not_started:
        return {"Correct the program's path in the workload file, then run again",
                run_command(result, "")};
      case ProcessState::timed_out:
        return {"Find out why it hangs, or raise run.command.timeout", run_command(result, "")};
      case ProcessState::interrupted: return {"Run again to the end", run_command(result, "")};
      case ProcessState::silent:
        return {"Make the program hand over its results as said above, then run again",
                run_command(result, "")};
      case ProcessState::ok:
      case ProcessState::crashed: break;
    }
    return {"Fix the program (its last words are here), then run again", run_command(result, "")};
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
      if (row != nullptr && row->improved) {
        return {"Nothing to fix; record the better level on the base branch",
                run_command(result, "--record")};
      }
      return {"Nothing to do", ""};
    case Outcome::fail: return after_fail(result, row, parts);
    case Outcome::suspected:
      return {"Measure again on another occasion; a second run tells luck from loss",
              run_command(result, "")};
    case Outcome::inconclusive: return after_inconclusive(result, row);
    case Outcome::not_comparable:
      return {"Measure on the baseline's kind of machine, or record a baseline for this one",
              run_command(result, "--record")};
    case Outcome::no_baseline:
      return {"Record this workload once on the base branch", run_command(result, "--record")};
    case Outcome::invalid: return after_invalid(result);
  }
  return {};
}

}  // namespace perfgate::render
