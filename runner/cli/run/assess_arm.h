/// One program's processes, whole or in part, as figures: what was traced is analysed, and each
/// process gives a sample to each metric.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runner/device/calibration.h"
#include "runner/measure/samples.h"
#include "runner/model/run_result.h"
#include "runner/model/workload_spec.h"
#include "runner/platform/files.h"

namespace perfgate::cli {

struct ArmInput {
  const WorkloadSpec& spec;
  std::vector<ProcessRecord> processes;  ///< of one arm, with its controls
  std::string run_folder;                ///< absolute; captures are read from it
  std::string gpu;                       ///< its model; empty or "none" = without one
  const std::optional<device::Calibration>& calibration;
  measure::StepBasis basis = measure::StepBasis::marks;  ///< of the whole run
};

struct ArmFigures {
  Analysis analysis;
  std::vector<MetricValue> metrics;
  std::vector<ControlReading> controls;
  std::vector<std::string> notes;  ///< metrics that could not be formed, and why
};

/// Errors: a capture file that cannot be read, a user's family rule, an internal contradiction.
[[nodiscard]] Result<ArmFigures> assess_arm(const ArmInput& input,
                                            const platform::FileSystem& files);

/// The first `work` line of the untraced processes; empty = none said what it did.
[[nodiscard]] std::optional<WorkDone> work_of(std::span<const ProcessRecord> processes);

}  // namespace perfgate::cli
