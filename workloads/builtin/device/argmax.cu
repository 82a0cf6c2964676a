#include "workloads/builtin/device/kernels.h"
#include "workloads/builtin/device/launch.cuh"
#include "workloads/builtin/value_hash.h"

namespace perfgate::builtin {
namespace {

constexpr int kThreads = 1024;
constexpr int kWarp = 32;

struct Best {
  float value;
  int index;
};

/// The larger one, of equals the lower index: a total order, so the shape of the reduction does not
/// matter.
__device__ Best better(Best a, Best b) {
  const bool take_b = b.value > a.value || (b.value == a.value && b.index < a.index);
  return take_b ? b : a;
}

__device__ Best warp_best(Best best) {
  for (int offset = kWarp / 2; offset > 0; offset /= 2) {
    const Best other{__shfl_xor_sync(0xffffffffU, best.value, offset),
                     __shfl_xor_sync(0xffffffffU, best.index, offset)};
    best = better(best, other);
  }
  return best;
}

__global__ void __launch_bounds__(kThreads) argmax_kernel(Argmax p) {
  __shared__ Best per_warp[kThreads / kWarp];
  wait_for_previous();
  const std::int64_t row = blockIdx.x;
  const auto* logits = reinterpret_cast<const float4*>(p.logits + row * p.vocab);
  Best best{-INFINITY, 0};
#pragma unroll 8
  for (int i = static_cast<int>(threadIdx.x); i < p.vocab / 4; i += kThreads) {
    const float4 four = logits[i];
    best = better(best, {four.x, 4 * i});
    best = better(best, {four.y, 4 * i + 1});
    best = better(best, {four.z, 4 * i + 2});
    best = better(best, {four.w, 4 * i + 3});
  }
  best = warp_best(best);
  if (threadIdx.x % kWarp == 0) per_warp[threadIdx.x / kWarp] = best;
  __syncthreads();
  if (threadIdx.x >= kWarp) return;
  best = warp_best(per_warp[threadIdx.x]);
  if (threadIdx.x != 0) return;
  p.tokens[row] = best.index;
  p.hashes[row] = fold_token(p.hashes[row], static_cast<std::uint32_t>(best.index));
  if (p.positions != nullptr) p.positions[row] += p.advance;
}

}  // namespace

cudaError_t argmax_tokens(const LaunchContext& context, const Argmax& arguments) {
  return launch(context, static_cast<unsigned>(arguments.rows), kThreads, argmax_kernel, arguments);
}

}  // namespace perfgate::builtin
