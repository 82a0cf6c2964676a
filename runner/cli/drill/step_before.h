/// What is measured before a drill: how long a step is, and whether the program's own clock sees
/// what will be planted.
#pragma once

#include <string>

#include "baselines/drills.h"
#include "runner/cli/run/run_request.h"

namespace perfgate::cli {

/// What all runs of a drill share; `head`, `base` and `run_folder` are filled in here.
struct DrillGround {
  const RunRequest& request;
  std::string folder;  ///< of the run folders; absolute
  baselines::Planted means = baselines::Planted::spin;
};

/// The median step of one process of the quiet side, in ms. A spin is on the GPU's own clock and
/// needs no more. For a host delay one more process waits a whole step in each: its own clock must
/// see half of that to one and a half, else (`invalid_measurement`) the range is not what is timed,
/// steps are queued ahead, or the range is opened several times a step.
[[nodiscard]] Result<double> step_before(const DrillGround& ground, Context& context,
                                         const RunPorts& ports);

/// The run was measured: errors `interrupted` after Ctrl-C, `invalid_measurement` if it is no
/// measurement.
[[nodiscard]] Status check_measured(const RunResult& result, const RunPorts& ports);

}  // namespace perfgate::cli
