#include <cuda_fp16.h>

#include "workloads/builtin/device/kernels.h"
#include "workloads/builtin/device/launch.cuh"
#include "workloads/builtin/device/pack.cuh"
#include "workloads/builtin/value_hash.h"

namespace perfgate::builtin {
namespace {

constexpr int kThreads = 256;
constexpr std::uint64_t kBlocksMax = 65536;

struct ToBf16 {
  using Element = std::uint16_t;
  static __device__ Element convert(float value) { return bf16_bits(value); }
};
struct ToHalf {
  using Element = std::uint16_t;
  static __device__ Element convert(float value) {
    return __half_as_ushort(__float2half_rn(value));
  }
};
struct ToFloat {
  using Element = float;
  static __device__ Element convert(float value) { return value; }
};

template <typename Format>
__global__ void fill_kernel(typename Format::Element* out, std::uint64_t count, std::uint32_t key,
                            float amplitude, float offset) {
  wait_for_previous();
  const std::uint64_t stride = static_cast<std::uint64_t>(gridDim.x) * kThreads;
  for (std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count;
       i += stride) {
    out[i] = Format::convert(hash_value(key, i, amplitude, offset));
  }
}

template <typename Format>
cudaError_t fill(const LaunchContext& context, typename Format::Element* out, std::uint64_t count,
                 std::uint32_t key, float amplitude, float offset) {
  if (count == 0) return cudaSuccess;
  const std::uint64_t wanted = (count + kThreads - 1) / kThreads;
  const auto blocks = static_cast<unsigned>(wanted < kBlocksMax ? wanted : kBlocksMax);
  return launch(context, blocks, kThreads, fill_kernel<Format>, out, count, key, amplitude, offset);
}

}  // namespace

cudaError_t fill_hashed(const LaunchContext& context, Bf16Bits* out, std::uint64_t count,
                        std::uint32_t key, float amplitude, float offset) {
  return fill<ToBf16>(context, out, count, key, amplitude, offset);
}

cudaError_t fill_hashed_float(const LaunchContext& context, float* out, std::uint64_t count,
                              std::uint32_t key, float amplitude) {
  return fill<ToFloat>(context, out, count, key, amplitude, 0.0F);
}

cudaError_t fill_hashed_half(const LaunchContext& context, std::uint16_t* out, std::uint64_t count,
                             std::uint32_t key, float amplitude) {
  return fill<ToHalf>(context, out, count, key, amplitude, 0.0F);
}

}  // namespace perfgate::builtin
