/// The fault spin_us behind a step of the CUDA runtime.
#pragma once

#include <cmath>

#include "workloads/builtin/device/cuda_status.h"
#include "workloads/builtin/device/kernels.h"
#include "workloads/builtin/faults.h"

namespace perfgate::builtin {

/// Launches the spin on the GPU's stream; nothing without the fault. `dependent_launch` as for the
/// kernels in front.
[[nodiscard]] inline Status launch_spin_fault(const Gpu& gpu, const Faults& faults,
                                              bool dependent_launch) {
  if (!faults.has(Fault::spin_us)) return {};
  const auto ns = static_cast<std::uint64_t>(std::llround(faults[Fault::spin_us] * 1e3));
  return cuda_status(spin({gpu.stream(), dependent_launch}, ns), "launch the planted spin");
}

}  // namespace perfgate::builtin
