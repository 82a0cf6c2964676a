/// Launching a kernel, with or without programmatic dependent launch, and the device side of it.
///
/// With it a kernel may be set up while the one in front of it still runs. Rule of this folder:
/// every kernel lets the next one start only after its own wait_for_previous(); so when a kernel
/// starts, everything before its direct predecessor has ended. Before its wait a kernel touches
/// only memory that the direct predecessor does not write: weights, the positions, the cache of
/// earlier tokens. Then the order of all memory accesses is the stream's.
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

/// Asks for `bytes` (a multiple of 16, at a 16-byte boundary) to be brought into L2.
__device__ __forceinline__ void prefetch_l2(const char* from, unsigned bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(from)),
               "r"(bytes));
#else
  constexpr unsigned kLine = 128;
  for (unsigned at = 0; at < bytes; at += kLine) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(from + at)));
  }
#endif
}

/// The shared memory that launch_with_shared() asked for.
__device__ __forceinline__ void* dynamic_shared() {
  extern __shared__ uint4 dynamic_shared_vectors[];
  return dynamic_shared_vectors;
}

/// What exceeds 48 KiB of static and dynamic shared memory together must be allowed first. The
/// static part is not known here, so whatever is asked for is allowed: when only more than 48 KiB
/// were, a kernel with exactly 48 KiB and some static memory (decode attention, head_dim 64, four
/// warps) failed with cudaErrorInvalidValue.
template <typename... Parameters, typename... Arguments>
cudaError_t launch_with_shared(const LaunchContext& context, dim3 grid, dim3 block, unsigned shared,
                               void (*kernel)(Parameters...), Arguments... arguments) {
  if (shared > 0) {
    const cudaError_t error = cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
    if (error != cudaSuccess) return error;
  }
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.stream = context.stream;
  config.attrs = &attribute;
  config.numAttrs = context.dependent_launch ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

template <typename... Parameters, typename... Arguments>
cudaError_t launch(const LaunchContext& context, dim3 grid, dim3 block,
                   void (*kernel)(Parameters...), Arguments... arguments) {
  return launch_with_shared(context, grid, block, 0, kernel, arguments...);
}

}  // namespace perfgate::builtin
