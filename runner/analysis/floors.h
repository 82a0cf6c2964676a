/// How long the step must last at least: bytes / bandwidth and FLOP / rate, the larger counts.
///
/// bytes per step: `floor.bytes`, else weights + KV cache, each from the workload file or (auto)
/// from the results file's work line. Modelled bytes come from shapes alone; a share above 100 %
/// says that a figure is wrong.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "runner/model/analysis.h"
#include "runner/model/timing.h"
#include "runner/model/workload_spec.h"

namespace perfgate::analysis {

struct FloorOutcome {
  std::optional<FloorResult> floor;
  std::string problem;  ///< what to declare, if a floor was asked for and cannot be formed
};

/// `ceilings`: datasheet first, measured second; the file's own figures are added as the last.
/// `step_ms` is the headline's untraced median; 0 = none. Neither floor nor problem if the file has
/// no `floor` key.
[[nodiscard]] FloorOutcome compute_floor(const FloorSpec& spec, const std::optional<WorkDone>& work,
                                         std::span<const RooflineCeiling> ceilings, double step_ms);

}  // namespace perfgate::analysis
