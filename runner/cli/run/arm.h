/// One side of `ab` and of `run --base`: which program runs there in place of the workload's own.
///
/// - DIR, a prepared tree (a git worktree, an unpacked build): it stands for the folder in which
///   perfgate was started. workloads/decode.yaml runs in DIR/workloads, so its relative `cwd`,
///   programs and scripts are those of DIR. A built-in workload runs DIR/bin/perfgate-workload.
/// - CMD, a command line as a shell splits it: it replaces run.command.argv. Nothing is executed by
///   a shell; pipes and redirections need `sh -c '...'`.
///
/// The workload file and its gates are those of the head in either case.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runner/model/result.h"
#include "runner/model/workload_spec.h"
#include "runner/platform/files.h"

namespace perfgate::cli {

struct ArmChoice {
  enum class Kind { as_is, tree, command } kind = Kind::as_is;
  std::string tree{};               ///< absolute
  std::vector<std::string> argv{};  ///< not empty for `command`
  std::string how{};                ///< for reports: "--base ../main"; empty as it is
  /// A drill's (runner/cli/drill): added to the environment of this side's processes, and the delay
  /// of their steps (MeasureOptions::step_delay_us). No fingerprint and no report tells of them.
  std::map<std::string, std::string> environment{};
  std::optional<double> step_delay_us{};
};

/// `option`: "--base" or "--head"; `text` empty = as it is. Errors: `usage` for what is neither a
/// folder nor a command line.
[[nodiscard]] Result<ArmChoice> parse_arm(const std::string& option, const std::string& text,
                                          const platform::FileSystem& files);

struct ArmProgram {
  WorkloadSpec spec;
  std::string workload_program;  ///< path of perfgate-workload
};

/// The workload as this side runs it. `installed`: perfgate's own perfgate-workload. Errors
/// (`usage`): a command for a built-in workload, a path at which there is neither a folder nor a
/// program, a tree without what is run, a workload file that
/// lies outside of the folder that the tree stands for.
[[nodiscard]] Result<ArmProgram> program_of(const ArmChoice& choice, const WorkloadSpec& spec,
                                            const std::string& installed,
                                            const platform::FileSystem& files);

}  // namespace perfgate::cli
