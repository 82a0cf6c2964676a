/// One program, ready to be measured: the workload as this side of a comparison runs it, how, and
/// with which fingerprint.
#pragma once

#include <optional>

#include "runner/cli/command.h"
#include "runner/cli/run/arm.h"
#include "runner/cli/run/run_request.h"
#include "runner/device/device_query.h"
#include "runner/measure/measure.h"
#include "runner/model/workload_spec.h"

namespace perfgate::cli {

/// What measures: the GPU, if one is used, and its driver.
struct Machine {
  std::optional<device::GpuInfo> gpu;
  device::DriverInfo driver;
};

struct ReadySubject {
  WorkloadSpec spec;  ///< without traced processes where none are wanted
  measure::MeasureOptions options;
};

/// Parts of perfgate that the request needs and this installation lacks, gates that cannot be
/// judged without a GPU: found before the GPU is asked for. Errors `unavailable`, `usage`.
[[nodiscard]] Status check_parts(const RunRequest& request, const Context& context);

/// Errors: those of program_of, a program that is not there, the probe that is not installed.
[[nodiscard]] Result<ReadySubject> ready_subject(const RunRequest& request, const ArmChoice& choice,
                                                 const Machine& machine, const Context& context,
                                                 const RunPorts& ports);

}  // namespace perfgate::cli
