/// Copies from global to shared memory that pass by the registers (PTX "cp.async"), so that a few
/// warps keep many kilobytes in flight. A thread's copies form groups; it waits for its own only,
/// so a __syncwarp() or __syncthreads() must follow before others' copies are read.
#pragma once

#include <cuda_runtime.h>

namespace perfgate::builtin {

/// Copies 16 bytes past L1. Without `present` the target becomes zero and nothing is read.
__device__ __forceinline__ void copy_16_async(uint4* to, const void* from, bool present) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16, %2;" ::"r"(address),
               "l"(__cvta_generic_to_global(from)), "r"(present ? 16 : 0)
               : "memory");
}

/// Closes the thread's group; an empty group is complete at once.
__device__ __forceinline__ void close_copy_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

/// Waits for all groups but the `Younger` last ones.
template <int Younger>
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Younger) : "memory");
}

}  // namespace perfgate::builtin
