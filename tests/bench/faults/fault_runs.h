/// Recorded runs with planted faults (tests/data/faults), and what perfgate says of one against
/// another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/model/analysis.h"
#include "runner/model/capture.h"
#include "runner/model/ledger.h"
#include "runner/model/result.h"
#include "runner/model/timing.h"

namespace perfgate::bench {

struct FaultRun {
  std::string name;
  std::string file;             ///< workload file in tests/gpu/faults, without its ending
  std::string planted;          ///< "h2d_mib=32"; empty = nothing
  std::string set;              ///< tests/gpu/faults/plan.tsv
  std::string gpu;              ///< runs of one letter ran on one GPU
  std::vector<double> step_ms;  ///< untraced, one a process
  std::vector<DeviceSample> after;
  std::vector<Capture> captures;  ///< one a traced process
  Analysis analysis;
};

/// All runs of the folder, analysed.
[[nodiscard]] Result<std::vector<FaultRun>> read_fault_runs(const std::string& folder);
/// Forms `analysis` anew out of the captures.
Status analyse(FaultRun& run);
/// Null = there is no such run.
[[nodiscard]] const FaultRun* find_run(const std::vector<FaultRun>& runs, std::string_view name);
/// The run of the same workload and GPU, with nothing planted, that `run` is compared with.
[[nodiscard]] const FaultRun* base_of(const std::vector<FaultRun>& runs, const FaultRun& run);

struct Explained {
  Ledger ledger;
  std::vector<Diagnosis> causes;
};
[[nodiscard]] Explained explain(const FaultRun& base, const FaultRun& head);

}  // namespace perfgate::bench
