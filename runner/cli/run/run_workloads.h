/// What `run` and `ab` share: workloads one after the other, each measured (or replayed), judged,
/// reported; the exit code is that of the worst.
#pragma once

#include <string>
#include <vector>

#include "runner/cli/command.h"
#include "runner/cli/policy.h"

namespace perfgate::cli {

/// As the command line says it; empty = not given.
struct RunOptions {
  std::vector<std::string> inputs;  ///< workload files, or the command after --
  std::string range;
  std::string replay;
  std::string out;
  std::string gpu = "auto";
  std::string store;
  std::string branch;
  std::string ancestor;  ///< a commit; a replay is judged by runs of it and its first parents
  std::string base;      ///< a folder or a command line (arm.h), measured in the same session
  std::string head;      ///< likewise, in place of the workload's own program
  bool pairs = false;    ///< `ab`: every look is one of pairs
  bool record = false;
  bool is_command = false;
  bool json = false;
  bool post = false;  ///< as `perfgate post` does with what ran
  PolicyOptions policy;
};

[[nodiscard]] int run_workloads(RunOptions options, Context& context);

}  // namespace perfgate::cli
