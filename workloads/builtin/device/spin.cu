/// The planted slowdown of `spin_us`: one thread that looks at the GPU's clock until the time is
/// up.
///
/// The clock is %globaltimer, in nanoseconds whatever frequency the multiprocessors run at. It goes
/// on in steps (32 ns on the Hopper and Ampere parts looked at by others, about 1 us on older ones
/// and under some drivers), so one spin is wrong by up to a step; the median over steps is not, by
/// more than half of one. Cycles (clock64) would need the frequency, which boost and power limits
/// change under load; they only end a spin whose timer stands still: 4 cycles a nanosecond is
/// beyond any GPU's clock.
///
/// What a step gets is SIZE and the start and end of one more kernel. With programmatic dependent
/// launch the start is hidden behind the kernel in front; the time counts from that kernel's end.
/// The next kernel is let go only at the end of the spin: released before, it would bring weights
/// into L2 meanwhile and take back a part of what was planted.
#include <cstdint>

#include "workloads/builtin/device/kernels.h"
#include "workloads/builtin/device/launch.cuh"

namespace perfgate::builtin {
namespace {

constexpr std::uint64_t kCyclesPerNs = 4;

__device__ __forceinline__ std::uint64_t global_ns() {
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)::"memory");
  return now;
}

__global__ void __launch_bounds__(1) spin_fault_kernel(std::uint64_t ns) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
  const std::uint64_t start_ns = global_ns();
  const long long start_cycles = clock64();
  while (global_ns() - start_ns < ns) {
    const auto cycles = static_cast<std::uint64_t>(clock64() - start_cycles);
    if (cycles >= kCyclesPerNs * ns) return;
  }
}

}  // namespace

cudaError_t spin(const LaunchContext& context, std::uint64_t ns) {
  return launch(context, 1, 1, spin_fault_kernel, ns);
}

}  // namespace perfgate::builtin
