#include "workloads/builtin/device/kernels.h"
#include "workloads/builtin/device/launch.cuh"
#include "workloads/builtin/device/pack.cuh"
#include "workloads/builtin/device/prefetch.cuh"

namespace perfgate::builtin {
namespace {

constexpr int kThreads = 256;
constexpr int kElements = 8;

__global__ void gated_silu_kernel(const uint4* gate_up, uint4* out, std::int64_t vectors,
                                  int row_vectors, WeightPrefetch prefetch, unsigned own_blocks) {
  if (blockIdx.x >= own_blocks) {
    prefetch_share(prefetch, blockIdx.x - own_blocks, gridDim.x - own_blocks);
    return;
  }
  wait_for_previous();
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= vectors) return;
  const std::int64_t row = i / row_vectors;
  const std::int64_t gate_at = i + row * row_vectors;  // rows of the input are twice as long
  const Eight gate = unpack(gate_up[gate_at]);
  const Eight up = unpack(gate_up[gate_at + row_vectors]);
  Eight result;
  for (int e = 0; e < kElements; ++e) {
    result.value[e] = gate.value[e] / (1.0F + __expf(-gate.value[e])) * up.value[e];
  }
  out[i] = pack(result);
}

}  // namespace

cudaError_t gated_silu(const LaunchContext& context, const Bf16Bits* gate_up, Bf16Bits* out,
                       std::int64_t rows, int ffn, const WeightPrefetch& prefetch) {
  const int row_vectors = ffn / kElements;
  const std::int64_t vectors = rows * row_vectors;
  const auto blocks = static_cast<unsigned>((vectors + kThreads - 1) / kThreads);
  return launch(context, blocks + prefetch_blocks(prefetch), kThreads, gated_silu_kernel,
                reinterpret_cast<const uint4*>(gate_up), reinterpret_cast<uint4*>(out), vectors,
                row_vectors, prefetch, blocks);
}

}  // namespace perfgate::builtin
