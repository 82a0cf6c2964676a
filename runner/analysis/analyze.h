/// From captures and untraced results to an Analysis. Pure: the same input gives the same bytes.
///
/// The flow: names classified, operations sorted and joined with their calls (timeline), steps
/// (steps), window (window), busy time and gaps (sweep, gaps), kernels, ranges (projection), checks
/// (validity), floors (floors).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "runner/model/analysis.h"
#include "runner/model/capture.h"
#include "runner/model/result.h"
#include "runner/model/timing.h"
#include "runner/model/workload_spec.h"

namespace perfgate::analysis {

/// One traced run of the workload.
struct TracedInput {
  int process = 0;  ///< ProcessRecord::index
  /// One per OS process and program it ran, usually one; not owned, never null.
  std::vector<const Capture*> captures;
  std::vector<double>
      traced_step_ms;  ///< of its own results file, all measured steps; may be empty
  int first_captured_step =
      0;  ///< index among the measured steps of the window's first step; < 0: warm-up
};

struct AnalysisInput {
  const WorkloadSpec& spec;
  std::span<const TracedInput> traced;
  const TimingSamples& timing;
  std::optional<WorkDone> work;           ///< of the results files; empty = none reported
  std::vector<RooflineCeiling> ceilings;  ///< datasheet first (datasheet.h), measured second
};

/// A capture that cannot be believed is no error: its verdict says so, and what can be computed is
/// there to look at. Errors: `invalid_config` (a user's family rule), `internal` (the accounting
/// identity does not hold).
[[nodiscard]] Result<Analysis> analyze(const AnalysisInput& input);

}  // namespace perfgate::analysis
