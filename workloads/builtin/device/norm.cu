#include "workloads/builtin/device/kernels.h"
#include "workloads/builtin/device/launch.cuh"
#include "workloads/builtin/device/pack.cuh"
#include "workloads/builtin/device/prefetch.cuh"

namespace perfgate::builtin {
namespace {

constexpr int kElements = 8;  // of each thread: one 16-byte vector
constexpr int kWarp = 32;
constexpr int kWarpsMax = static_cast<int>(kHiddenMax) / kElements / kWarp;

/// Sum over the block, in a fixed order; every thread gets it.
__device__ float block_sum(float value) {
  __shared__ float per_warp[kWarpsMax];
  for (int offset = kWarp / 2; offset > 0; offset /= 2)
    value += __shfl_xor_sync(0xffffffffU, value, offset);
  if (threadIdx.x % kWarp == 0) per_warp[threadIdx.x / kWarp] = value;
  __syncthreads();
  float total = 0.0F;
  for (unsigned warp = 0; warp < blockDim.x / kWarp; ++warp) total += per_warp[warp];
  return total;
}

/// Threads beyond hidden / 8 hold zeros and store nothing, but take part in the sum.
__device__ void store_normed(const Eight& x, bool active, const uint4* weight, uint4* normed,
                             int hidden, float epsilon) {
  float squares = 0.0F;
  for (int i = 0; i < kElements; ++i) squares += x.value[i] * x.value[i];
  const float scale = rsqrtf(block_sum(squares) / static_cast<float>(hidden) + epsilon);
  if (!active) return;
  const Eight w = unpack(weight[threadIdx.x]);
  Eight result;
  for (int i = 0; i < kElements; ++i) result.value[i] = x.value[i] * scale * w.value[i];
  normed[threadIdx.x] = pack(result);
}

__device__ const uint4* row_of(const Bf16Bits* matrix, std::int64_t row, int width) {
  return reinterpret_cast<const uint4*>(matrix + row * width);
}
__device__ uint4* row_of(Bf16Bits* matrix, std::int64_t row, int width) {
  return reinterpret_cast<uint4*>(matrix + row * width);
}

/// CTAs beyond the rows fetch the next weight and end.
__device__ bool is_prefetcher(const WeightPrefetch& prefetch, int rows) {
  const int extra = static_cast<int>(blockIdx.x) - rows;
  if (extra < 0) return false;
  prefetch_share(prefetch, extra, static_cast<int>(gridDim.x) - rows);
  return true;
}

__global__ void embed_norm_kernel(EmbedNorm p) {
  if (is_prefetcher(p.prefetch, p.rows)) return;
  wait_for_previous();
  const std::int64_t row = blockIdx.x;
  const bool active = static_cast<int>(threadIdx.x) * kElements < p.hidden;
  uint4 words{0, 0, 0, 0};
  if (active) {
    words = row_of(p.embedding, p.tokens[row], p.hidden)[threadIdx.x];
    row_of(p.residual, row, p.hidden)[threadIdx.x] = words;
  }
  store_normed(unpack(words), active, reinterpret_cast<const uint4*>(p.norm_weight),
               row_of(p.normed, row, p.hidden), p.hidden, p.epsilon);
}

__global__ void add_norm_kernel(AddNorm p) {
  if (is_prefetcher(p.prefetch, p.rows)) return;
  wait_for_previous();
  const std::int64_t row = p.row_offset + static_cast<std::int64_t>(blockIdx.x) * p.row_stride;
  const bool active = static_cast<int>(threadIdx.x) * kElements < p.hidden;
  uint4 words{0, 0, 0, 0};
  if (active) {
    uint4* residual = row_of(p.residual, row, p.hidden) + threadIdx.x;
    Eight sum = unpack(*residual);
    const Eight update = unpack(row_of(p.update, row, p.hidden)[threadIdx.x]);
    for (int i = 0; i < kElements; ++i) sum.value[i] += update.value[i];
    words = pack(sum);  // the norm reads what the residual stream keeps
    *residual = words;
  }
  store_normed(unpack(words), active, reinterpret_cast<const uint4*>(p.norm_weight),
               row_of(p.normed, static_cast<std::int64_t>(blockIdx.x), p.hidden), p.hidden,
               p.epsilon);
}

unsigned threads_for(int hidden) {
  return static_cast<unsigned>((hidden / kElements + kWarp - 1) / kWarp * kWarp);
}

}  // namespace

cudaError_t embed_norm(const LaunchContext& context, const EmbedNorm& arguments) {
  const unsigned blocks =
      static_cast<unsigned>(arguments.rows) + prefetch_blocks(arguments.prefetch);
  return launch(context, blocks, threads_for(arguments.hidden), embed_norm_kernel, arguments);
}

cudaError_t add_norm(const LaunchContext& context, const AddNorm& arguments) {
  const unsigned blocks =
      static_cast<unsigned>(arguments.rows) + prefetch_blocks(arguments.prefetch);
  return launch(context, blocks, threads_for(arguments.hidden), add_norm_kernel, arguments);
}

}  // namespace perfgate::builtin
