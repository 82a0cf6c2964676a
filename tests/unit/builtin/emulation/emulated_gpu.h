/// A GPU without a device, for host code that launches: emulated_gpu.cpp has the CUDA runtime's
/// functions over host memory, emulated_gemm.cpp cuBLASLt's products, and the kernels are those of
/// kernels/. Every launch is done when it returns. New memory holds no numbers.
#pragma once

#include <string>
#include <vector>

namespace perfgate::builtin {

/// What was asked of the runtime, of cuBLASLt and of launch.cuh, in order: "malloc 4096", "free",
/// "to device 256", "to host 256", "wait", "product bf16 0" (element type and number of the
/// proposal), "launch".
inline std::vector<std::string> emulated_calls;

}  // namespace perfgate::builtin
