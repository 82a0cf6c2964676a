// What the faults in layers launch. Plain on purpose: each stands for code that was never tuned.
#include "workloads/builtin/device/launch.cuh"
#include "workloads/builtin/device/pack.cuh"
#include "workloads/builtin/device/planted_kernels.h"

namespace perfgate::builtin {
namespace {

constexpr int kThreads = 256;
constexpr int kElements = 8;  // of each thread: one 16-byte vector
constexpr int kWarp = 32;
constexpr int kSide = 32;     // of the tiles that are transposed
constexpr int kTileRows = 8;  // of a tile in one turn of the threads
static_assert(kThreads == kSide * kTileRows);

__device__ __forceinline__ std::int64_t vector_index() {
  return static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
}

__global__ void widen_copy_kernel(const uint4* from, float4* to, std::int64_t vectors) {
  wait_for_previous();
  const std::int64_t i = vector_index();
  if (i >= vectors) return;
  const Eight x = unpack(from[i]);
  to[2 * i] = make_float4(x.value[0], x.value[1], x.value[2], x.value[3]);
  to[2 * i + 1] = make_float4(x.value[4], x.value[5], x.value[6], x.value[7]);
}

__global__ void narrow_copy_kernel(const float4* from, uint4* to, std::int64_t vectors) {
  wait_for_previous();
  const std::int64_t i = vector_index();
  if (i >= vectors) return;
  const float4 low = from[2 * i];
  const float4 high = from[2 * i + 1];
  to[i] = pack({{low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w}});
}

/// Of all rows that take part, one after the other.
__global__ void residual_add_kernel(AddNorm p, std::int64_t vectors) {
  wait_for_previous();
  const std::int64_t i = vector_index();
  if (i >= vectors) return;
  const int row_vectors = p.hidden / kElements;
  const std::int64_t row = p.row_offset + i / row_vectors * p.row_stride;
  const std::int64_t at = row * row_vectors + i % row_vectors;
  auto* residual = reinterpret_cast<uint4*>(p.residual) + at;
  Eight sum = unpack(*residual);
  const Eight update = unpack(reinterpret_cast<const uint4*>(p.update)[at]);
  for (int e = 0; e < kElements; ++e) sum.value[e] += update.value[e];
  *residual = pack(sum);
}

/// One row a CTA, in two passes over it.
__global__ void rms_norm_kernel(AddNorm p) {
  __shared__ float per_warp[kThreads / kWarp];
  wait_for_previous();
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t row = p.row_offset + static_cast<std::int64_t>(blockIdx.x) * p.row_stride;
  const Bf16Bits* residual = p.residual + row * p.hidden;
  float squares = 0.0F;
  for (int i = thread; i < p.hidden; i += kThreads) {
    const float x = bf16_load(residual + i);
    squares += x * x;
  }
  for (int offset = kWarp / 2; offset > 0; offset /= 2)
    squares += __shfl_xor_sync(0xffffffffU, squares, offset);
  if (thread % kWarp == 0) per_warp[thread / kWarp] = squares;
  __syncthreads();
  float total = 0.0F;
  for (const float part : per_warp) total += part;
  const float scale = rsqrtf(total / static_cast<float>(p.hidden) + p.epsilon);
  Bf16Bits* normed = p.normed + static_cast<std::int64_t>(blockIdx.x) * p.hidden;
  for (int i = thread; i < p.hidden; i += kThreads) {
    normed[i] = bf16_bits(bf16_load(residual + i) * scale * bf16_load(p.norm_weight + i));
  }
}

__global__ void silu_kernel(const uint4* gate_up, uint4* out, std::int64_t vectors,
                            int row_vectors) {
  wait_for_previous();
  const std::int64_t i = vector_index();
  if (i >= vectors) return;
  Eight gate = unpack(gate_up[i + i / row_vectors * row_vectors]);
  for (int e = 0; e < kElements; ++e) gate.value[e] /= 1.0F + __expf(-gate.value[e]);
  out[i] = pack(gate);
}

__global__ void gate_scale_kernel(const uint4* gate_up, uint4* out, std::int64_t vectors,
                                  int row_vectors) {
  wait_for_previous();
  const std::int64_t i = vector_index();
  if (i >= vectors) return;
  const Eight up = unpack(gate_up[i + (i / row_vectors + 1) * row_vectors]);
  Eight result = unpack(out[i]);
  for (int e = 0; e < kElements; ++e) result.value[e] *= up.value[e];
  out[i] = pack(result);
}

__global__ void transpose_copy_kernel(const Bf16Bits* from, Bf16Bits* to, int rows, int columns) {
  __shared__ Bf16Bits tile[kSide][kSide + 2];  // padded: a column's words lie in 32 banks
  wait_for_previous();
  const int x = static_cast<int>(threadIdx.x) % kSide;
  const int first = static_cast<int>(threadIdx.x) / kSide;
  const int column = static_cast<int>(blockIdx.x) * kSide;
  const int row = static_cast<int>(blockIdx.y) * kSide;
  for (int y = first; y < kSide; y += kTileRows) {
    if (row + y < rows && column + x < columns) {
      tile[y][x] = from[static_cast<std::int64_t>(row + y) * columns + column + x];
    }
  }
  __syncthreads();
  for (int y = first; y < kSide; y += kTileRows) {
    if (column + y < columns && row + x < rows) {
      to[static_cast<std::int64_t>(column + y) * rows + row + x] = tile[x][y];
    }
  }
}

unsigned blocks_for(std::int64_t vectors) {
  return static_cast<unsigned>((vectors + kThreads - 1) / kThreads);
}

}  // namespace

cudaError_t widen(const LaunchContext& context, const Bf16Bits* from, float* to,
                  std::int64_t count) {
  const std::int64_t vectors = count / kElements;
  return launch(context, blocks_for(vectors), kThreads, widen_copy_kernel,
                reinterpret_cast<const uint4*>(from), reinterpret_cast<float4*>(to), vectors);
}

cudaError_t narrow(const LaunchContext& context, const float* from, Bf16Bits* to,
                   std::int64_t count) {
  const std::int64_t vectors = count / kElements;
  return launch(context, blocks_for(vectors), kThreads, narrow_copy_kernel,
                reinterpret_cast<const float4*>(from), reinterpret_cast<uint4*>(to), vectors);
}

cudaError_t residual_add(const LaunchContext& context, const AddNorm& arguments) {
  const std::int64_t vectors =
      static_cast<std::int64_t>(arguments.rows) * (arguments.hidden / kElements);
  return launch(context, blocks_for(vectors), kThreads, residual_add_kernel, arguments, vectors);
}

cudaError_t norm_alone(const LaunchContext& context, const AddNorm& arguments) {
  return launch(context, static_cast<unsigned>(arguments.rows), kThreads, rms_norm_kernel,
                arguments);
}

cudaError_t silu_alone(const LaunchContext& context, const Bf16Bits* gate_up, Bf16Bits* out,
                       std::int64_t rows, int ffn) {
  const int row_vectors = ffn / kElements;
  const std::int64_t vectors = rows * row_vectors;
  return launch(context, blocks_for(vectors), kThreads, silu_kernel,
                reinterpret_cast<const uint4*>(gate_up), reinterpret_cast<uint4*>(out), vectors,
                row_vectors);
}

cudaError_t multiply_up(const LaunchContext& context, const Bf16Bits* gate_up, Bf16Bits* out,
                        std::int64_t rows, int ffn) {
  const int row_vectors = ffn / kElements;
  const std::int64_t vectors = rows * row_vectors;
  return launch(context, blocks_for(vectors), kThreads, gate_scale_kernel,
                reinterpret_cast<const uint4*>(gate_up), reinterpret_cast<uint4*>(out), vectors,
                row_vectors);
}

cudaError_t transpose(const LaunchContext& context, const Bf16Bits* from, Bf16Bits* to, int rows,
                      int columns) {
  const dim3 grid(static_cast<unsigned>((columns + kSide - 1) / kSide),
                  static_cast<unsigned>((rows + kSide - 1) / kSide));
  return launch(context, grid, kThreads, transpose_copy_kernel, from, to, rows, columns);
}

}  // namespace perfgate::builtin
