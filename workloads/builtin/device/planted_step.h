/// Faults around the step of a model (FaultPlace::model_step of faults.h): on its stream and inside
/// its range, but not in its graph.
#pragma once

#include <functional>
#include <memory>

#include "workloads/builtin/device/cuda_status.h"
#include "workloads/builtin/faults.h"

namespace perfgate::builtin {

/// `launch` with the faults around it; `launch` itself if there are none.
[[nodiscard]] Result<std::function<Status()>> with_step_faults(const Gpu& gpu, const Faults& faults,
                                                               std::function<Status()> launch);

}  // namespace perfgate::builtin
