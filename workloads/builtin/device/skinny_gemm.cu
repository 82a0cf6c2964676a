// Y = X W^T for at most 16 rows of X: reading W once is all that counts.
//
// One CTA makes 16 x RowTiles columns of Y, its warps taking turns along k in stretches of 64. Each
// lane loads W and X in 16-byte vectors straight into tensor-core fragments: a sum over k may run
// in any order, so the k-slots of the instruction are filled as the vectors come (mma.cuh; g = lane
// / 4, t = lane % 4: elements 32 h + 8 t .. + 7 of rows g and g + 8 of W, of rows g and g + 8 of
// X). The warps' sums are added in the order of the warps, whatever RowTiles is.
#include "workloads/builtin/device/kernels.h"
#include "workloads/builtin/device/launch.cuh"
#include "workloads/builtin/device/mma.cuh"
#include "workloads/builtin/device/pack.cuh"

namespace perfgate::builtin {
namespace {

constexpr int kWarp = 32;
constexpr int kWarps = 8;
constexpr int kThreads = kWarps * kWarp;
constexpr int kTile = 16;   // rows of W in one instruction
constexpr int kHalves = 2;  // vectors of a stretch in each row and lane
constexpr int kStretch = 64;

/// A warp's loads in flight for one stretch.
template <int RowTiles>
struct Stage {
  uint4 low[RowTiles][kHalves];   // rows g of W's tiles
  uint4 high[RowTiles][kHalves];  // rows g + 8
  uint4 x[2][kHalves];            // rows g and g + 8 of X
};

/// Where a lane reads.
struct Source {
  const Bf16Bits* weight;  // row g of the first tile, element 8 t
  const Bf16Bits* x[2];
  std::int64_t k;
};

__device__ __forceinline__ uint4 load_vector(const Bf16Bits* from) {
  return __ldcg(reinterpret_cast<const uint4*>(from));
}

template <int RowTiles>
__device__ __forceinline__ void load_weight(Stage<RowTiles>& stage, const Source& from,
                                            int stretch) {
  const Bf16Bits* at = from.weight + stretch * kStretch;
#pragma unroll
  for (int r = 0; r < RowTiles; ++r) {
#pragma unroll
    for (int h = 0; h < kHalves; ++h) {
      stage.low[r][h] = load_vector(at + r * kTile * from.k + h * 32);
      stage.high[r][h] = load_vector(at + (r * kTile + 8) * from.k + h * 32);
    }
  }
}

template <int RowTiles>
__device__ __forceinline__ void load_x(Stage<RowTiles>& stage, const Source& from, int stretch) {
#pragma unroll
  for (int c = 0; c < 2; ++c) {
#pragma unroll
    for (int h = 0; h < kHalves; ++h) {
      stage.x[c][h] = load_vector(from.x[c] + stretch * kStretch + h * 32);
    }
  }
}

template <int RowTiles>
__device__ __forceinline__ void multiply(float (&sum)[RowTiles][2][4],
                                         const Stage<RowTiles>& stage) {
#pragma unroll
  for (int h = 0; h < kHalves; ++h) {
#pragma unroll
    for (int r = 0; r < RowTiles; ++r) {
      const uint4& low = stage.low[r][h];
      const uint4& high = stage.high[r][h];
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        const uint4& x = stage.x[c][h];
        mma_16x8x16(sum[r][c], low.x, high.x, low.y, high.y, x.x, x.y);
        mma_16x8x16(sum[r][c], low.z, high.z, low.w, high.w, x.z, x.w);
      }
    }
  }
}

/// The warp's stretches: every kWarps-th one. Two are in flight; the first two parts of W are asked
/// for before the kernel in front has ended, as it does not write them.
template <int RowTiles>
__device__ void sum_stretches(float (&sum)[RowTiles][2][4], const Source& from, int first,
                              int stretches) {
  Stage<RowTiles> even;
  Stage<RowTiles> odd;
  if (first < stretches) load_weight(even, from, first);
  if (first + kWarps < stretches) load_weight(odd, from, first + kWarps);
  wait_for_previous();
  if (first < stretches) load_x(even, from, first);
  if (first + kWarps < stretches) load_x(odd, from, first + kWarps);
  for (int now = first; now < stretches; now += 2 * kWarps) {
    multiply<RowTiles>(sum, even);
    if (now + 2 * kWarps < stretches) {
      load_weight(even, from, now + 2 * kWarps);
      load_x(even, from, now + 2 * kWarps);
    }
    if (now + kWarps >= stretches) return;
    multiply<RowTiles>(sum, odd);
    if (now + 3 * kWarps < stretches) {
      load_weight(odd, from, now + 3 * kWarps);
      load_x(odd, from, now + 3 * kWarps);
    }
  }
}

template <int RowTiles>
__global__ void __launch_bounds__(kThreads) skinny_gemm_kernel(SkinnyGemm p) {
  constexpr int kRows = RowTiles * kTile;
  __shared__ float per_warp[kWarps][kSkinnyRowsMax][kRows];
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int g = lane / 4;
  const int t = lane % 4;
  const std::int64_t first_row = static_cast<std::int64_t>(blockIdx.x) * kRows;
  const std::int64_t k = p.in_features;
  const Source from{
      p.weight + (first_row + g) * k + 8 * t,
      {p.x + min(g, p.rows - 1) * k + 8 * t, p.x + min(g + 8, p.rows - 1) * k + 8 * t},
      k};
  float sum[RowTiles][2][4] = {};
  sum_stretches<RowTiles>(sum, from, warp, p.in_features / kStretch);
#pragma unroll
  for (int r = 0; r < RowTiles; ++r) {
#pragma unroll
    for (int c = 0; c < 2; ++c) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        per_warp[warp][8 * c + 2 * t + i % 2][kTile * r + g + 8 * (i / 2)] = sum[r][c][i];
      }
    }
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < p.rows * kRows; i += kThreads) {
    float total = 0.0F;
    for (int w = 0; w < kWarps; ++w) total += per_warp[w][i / kRows][i % kRows];
    p.y[static_cast<std::int64_t>(i / kRows) * p.out_features + first_row + i % kRows] =
        bf16_bits(total);
  }
}

}  // namespace

bool skinny_gemm_takes(std::int64_t rows, std::int64_t out_features, std::int64_t in_features) {
  return rows >= 1 && rows <= kSkinnyRowsMax && out_features % (2 * kTile) == 0 &&
         in_features % kStretch == 0;
}

cudaError_t skinny_gemm(const LaunchContext& context, const SkinnyGemm& arguments) {
  if (!skinny_gemm_takes(arguments.rows, arguments.out_features, arguments.in_features)) {
    return cudaErrorInvalidValue;
  }
  const auto blocks = [&](int tiles) {
    return static_cast<unsigned>(arguments.out_features / (tiles * kTile));
  };
  // Three tiles if two need a second round of CTAs and three do not.
  const auto slots = static_cast<unsigned>(arguments.multiprocessors);
  if (arguments.out_features % (3 * kTile) == 0 && blocks(2) > slots && blocks(3) <= slots) {
    return launch(context, blocks(3), kThreads, skinny_gemm_kernel<3>, arguments);
  }
  return launch(context, blocks(2), kThreads, skinny_gemm_kernel<2>, arguments);
}

}  // namespace perfgate::builtin
