/// What `perfgate analyze` takes: a capture file, or one traced process of a run folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/model/analysis.h"
#include "runner/model/capture.h"
#include "runner/model/result.h"
#include "runner/model/workload_spec.h"
#include "runner/platform/files.h"

namespace perfgate::cli {

struct TracedChoice {
  std::optional<int> process;  ///< NN of processes/NN-trace; empty = the first traced one
  std::string range;           ///< instead of the workload's step range; empty = that
};

struct LoadedTrace {
  std::string named;                 ///< as the user did
  std::optional<int> process;        ///< of a run folder
  std::vector<int> other_processes;  ///< of the run folder that were traced too
  std::vector<Capture> captures;     ///< one per OS process and program it ran
  WorkloadSpec spec;                 ///< of a lone capture: the step range alone
  TracedProcess traced;
};

/// `named`: a capture (*.pgcap), a run folder or its result.json. The steps of a lone capture are
/// the ranges like the one that opened its window. A process that failed is shown, and is never
/// valid. Errors: `not_found`, `corrupt`, `unsupported` as decoder.h; `usage` for a process that is
/// not there or was not traced.
[[nodiscard]] Result<LoadedTrace> load_traced(const platform::FileSystem& files,
                                              const std::string& named, const TracedChoice& choice);

}  // namespace perfgate::cli
