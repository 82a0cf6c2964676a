/// Launching a kernel, with or without programmatic dependent launch, and the device side of it.
///
/// With it a kernel may be set up while the one in front of it still runs. Rule of this folder:
/// every kernel calls wait_for_previous() before it touches memory, and lets the next one start
/// only after that; then the order of all memory accesses is the stream's.
#pragma once

#include <cuda_runtime.h>

#include "workloads/builtin/device/kernels.h"

namespace perfgate::builtin {

/// Ends when the previous kernel of the stream has ended and its writes are visible; then allows
/// the next one's setup.
__device__ __forceinline__ void wait_for_previous() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

template <typename... Parameters, typename... Arguments>
cudaError_t launch(const LaunchContext& context, dim3 grid, dim3 block,
                   void (*kernel)(Parameters...), Arguments... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.stream = context.stream;
  config.attrs = &attribute;
  config.numAttrs = context.dependent_launch ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

}  // namespace perfgate::builtin
