#include "reporters/render/not_comparable.h"

#include <algorithm>

#include "reporters/render/shell_command.h"

namespace perfgate::render {

NextAction after_not_comparable(const RunResult& result) {
  const auto& differences = result.baseline.comparability.environment;
  const bool stored = !result.recorded.empty();
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
  if (differences.empty() && stuck_on(Unsettled::other_direction)) {
    return {
        "Report the metric's direction (better) as the baseline has it, under another name, or set "
        "better in its gate, which then decides",
        ""};
  }
  // The verdict says so where there is no baseline, and therefore no row, too.
  const bool shared = std::ranges::find(result.verdict.reasons, "shared_gpu", &Reason::code) !=
                      result.verdict.reasons.end();
  if (differences.empty() && shared) {
    return {
        "Free the GPU: end the other program (nvidia-smi lists it), or let perfgate pick an idle "
        "GPU (--gpu auto), then run again",
        run_command(result)};
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
    if (result.workload_path.empty()) {
      if (stored) return {"This run was stored as the first of a baseline for this command", ""};
      return {
          "If there is a workload file for it, run that file (perfgate run FILE). Else record a "
          "baseline for this command on the base branch, not on this change, or give each command "
          "a workload file with a name of its own (perfgate init --name NAME -- CMD)",
          run_command(result, "--record")};
    }
    if (stored) return {"This run was stored as the first of a baseline for the changed file", ""};
    return {"See what changed (git log -p -- " + shell_word(result.workload_path) +
                "). Record a new baseline for the changed file on the base branch, not on this "
                "change, or give the changed workload a name of its own",
            run_command(result, "--record")};
  }
  if (stored) return {"This run was stored as the first of a baseline for this machine", ""};
  return {
      "Measure on the baseline's kind of machine, or record a baseline for this one on the base "
      "branch, not on this change",
      run_command(result, "--record")};
}

}  // namespace perfgate::render
