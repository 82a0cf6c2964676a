/// --on-suspected, --on-inconclusive, --on-no-baseline: what a run that was not judged becomes.
#pragma once

#include <string>

#include "runner/model/comparison.h"
#include "runner/model/outcome.h"
#include "runner/model/run_result.h"

namespace CLI {
class App;
}

namespace perfgate::cli {

/// Each empty (exit 3), "pass" or "fail".
struct PolicyOptions {
  std::string on_suspected;
  std::string on_inconclusive;
  std::string on_no_baseline;
};

void add_policy_options(CLI::App& app, PolicyOptions& options);
[[nodiscard]] ExitPolicy exit_policy(const PolicyOptions& options);
/// What is not given is as the run had it: its verdict names the policies that decided it, and that
/// --record took the run for a store that could not judge yet.
[[nodiscard]] PolicyOptions with_recorded(PolicyOptions options, const Verdict& verdict);
/// Names the policy in the verdict if it decides this outcome, in place of what the run had.
void describe_policy(const PolicyOptions& options, Verdict& verdict);

/// INCONCLUSIVE for want of recorded runs alone: of every row that does not pass the store has
/// fewer runs than a FAIL needs, and its interval is too wide or says that more of them would
/// settle it.
[[nodiscard]] bool lacks_history(const RunResult& result);

/// INCONCLUSIVE because a gate can never pass as it is written, whatever runs: a mistake of the
/// workload file (exit 2), which no policy makes green.
[[nodiscard]] bool can_never_pass(const Verdict& verdict);

/// What the outcome alone does not say of the exit code: "decided by --on-inconclusive pass", "a
/// gate can never pass as it is written: exit code 2"; empty = nothing. What --record made of a run
/// stands in its report.
[[nodiscard]] std::string deciding_words(const Verdict& verdict);

}  // namespace perfgate::cli
