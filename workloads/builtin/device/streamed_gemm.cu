// Y = X W^T for at most 16 rows of X: reading W once is all that counts.
//
// One CTA fills a multiprocessor and walks over blocks of 16 x RowTiles rows of W. Its warps take
// turns along k in stretches of 64; each has a ring of stretches in shared memory, filled by
// asynchronous copies that run on from block to block, also while the warps' sums are added up. The
// first of them are asked for before the kernel in front has ended, as it does not write weights:
// the memory does not rest between two kernels.
//
// X goes through the rings with W, again for every block, though that is half as many bytes again
// out of L2. Kept in registers instead (up to k = 4096: 128 of each lane) it made a decode step of
// the 8 B model, batch 16, 4.961 ms instead of 4.643 on an H200: 7 % more.
//
// A sum over k may run in any order, so lane (g, t) (mma.cuh: g = lane / 4, t = lane % 4) takes the
// whole 16-byte chunks 2t and 2t + 1 of rows g and g + 8 of W, and of X; they lie as swizzle.cuh
// says. The warps' sums are added in the order of the warps.
#include <algorithm>

#include "workloads/builtin/device/async_copy.cuh"
#include "workloads/builtin/device/kernels.h"
#include "workloads/builtin/device/launch.cuh"
#include "workloads/builtin/device/mma.cuh"
#include "workloads/builtin/device/pack.cuh"
#include "workloads/builtin/device/swizzle.cuh"

namespace perfgate::builtin {
namespace {

constexpr int kWarp = 32;
constexpr int kWarps = 8;
constexpr int kThreads = kWarps * kWarp;
constexpr int kTile = 16;  // rows of W in one instruction
constexpr int kStretch = 64;
constexpr int kChunks = kStretch / kChunkElements;

/// A multiprocessor's share of an H200's 4.8 TB/s is 36 KiB a microsecond, and a loaded memory
/// answers after 1 to 1.5 of them. With these 96 KiB of W are in flight while each warp works on
/// its oldest stretch.
template <int RowTiles>
constexpr int kStages = RowTiles == 2 ? 4 : 3;

template <int RowTiles>
struct Stretch {
  uint4 w[RowTiles * kTile][kChunks];
  uint4 x[kStreamedRowsMax][kChunks];
};

template <int RowTiles>
using Ring = Stretch<RowTiles>[kStages<RowTiles>];

/// A warp's next stretch to ask for.
struct Cursor {
  int block;
  int stretch;
  __device__ void advance(int warp, int stretches) {
    stretch += kWarps;
    if (stretch < stretches) return;
    stretch = warp;
    block += static_cast<int>(gridDim.x);
  }
};

/// With `gated` a block has 16 rows of the gate and the same 16 of up.
template <int RowTiles>
__device__ __forceinline__ void copy_weight(Stretch<RowTiles>& to, const StreamedGemm& p,
                                            const Cursor& at, int lane) {
  const int chunk = lane % kChunks;
  const std::int64_t k = p.in_features;
  const int block_rows = p.gated ? kTile : RowTiles * kTile;
  const std::int64_t tile_step = (p.gated ? p.out_features / 2 : kTile) * k;
  const Bf16Bits* from = p.weight +
                         (static_cast<std::int64_t>(at.block) * block_rows + lane / kChunks) * k +
                         at.stretch * kStretch + chunk * kChunkElements;
#pragma unroll
  for (int r = 0; r < RowTiles; ++r) {
#pragma unroll
    for (int i = 0; i < kTile / 4; ++i) {
      const int row = r * kTile + 4 * i + lane / kChunks;
      copy_16_async(&to.w[row][place_of(row, chunk)], from + r * tile_step + 4 * i * k, true);
    }
  }
}

template <int RowTiles>
__device__ __forceinline__ void copy_x(Stretch<RowTiles>& to, const StreamedGemm& p,
                                       const Cursor& at, int lane) {
  const int chunk = lane % kChunks;
#pragma unroll
  for (int i = 0; i < kStreamedRowsMax / 4; ++i) {
    const int row = 4 * i + lane / kChunks;
    const bool present = row < p.rows;
    copy_16_async(&to.x[row][place_of(row, chunk)],
                  p.x + static_cast<std::int64_t>(present ? row : 0) * p.in_features +
                      at.stretch * kStretch + chunk * kChunkElements,
                  present);
  }
}

template <int RowTiles>
__device__ __forceinline__ void multiply(float (&sum)[RowTiles][2][4],
                                         const Stretch<RowTiles>& from, int g, int t) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const int place = place_of(g, 2 * t + h);  // of row g + 8 as well
    const uint4 x[2] = {from.x[g][place], from.x[g + 8][place]};
#pragma unroll
    for (int r = 0; r < RowTiles; ++r) {
      const uint4 low = from.w[r * kTile + g][place];
      const uint4 high = from.w[r * kTile + g + 8][place];
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        mma_16x8x16(sum[r][c], low.x, high.x, low.y, high.y, x[c].x, x[c].y);
        mma_16x8x16(sum[r][c], low.z, high.z, low.w, high.w, x[c].z, x[c].w);
      }
    }
  }
}

/// Padded so that the lanes of a warp write to different banks.
template <int RowTiles>
using Sums = float[kWarps][kStreamedRowsMax][RowTiles * kTile + 4];

template <int RowTiles>
__device__ __forceinline__ float total_of(const Sums<RowTiles>& sums, int x_row, int row) {
  float total = 0.0F;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) total += sums[w][x_row][row];
  return total;
}

template <int RowTiles>
__device__ void store_block(const StreamedGemm& p, const Sums<RowTiles>& sums, int block) {
  if (p.gated) {
    const int ffn = p.out_features / 2;
    for (int i = static_cast<int>(threadIdx.x); i < p.rows * kTile; i += kThreads) {
      const int x_row = i / kTile;
      const int row = i % kTile;
      // Rounded as if they had been stored.
      const float gate = bf16_low(bf16_bits(total_of<RowTiles>(sums, x_row, row)));
      const float up = bf16_low(bf16_bits(total_of<RowTiles>(sums, x_row, row + kTile)));
      p.y[static_cast<std::int64_t>(x_row) * ffn + block * kTile + row] =
          bf16_bits(gate / (1.0F + __expf(-gate)) * up);
    }
    return;
  }
  constexpr int kRows = RowTiles * kTile;
  for (int i = static_cast<int>(threadIdx.x); i < p.rows * kRows; i += kThreads) {
    p.y[static_cast<std::int64_t>(i / kRows) * p.out_features + block * kRows + i % kRows] =
        bf16_bits(total_of<RowTiles>(sums, i / kRows, i % kRows));
  }
}

template <int RowTiles>
__global__ void __launch_bounds__(kThreads, 1) streamed_gemm_kernel(StreamedGemm p) {
  __shared__ Sums<RowTiles> sums;
  constexpr int kDepth = kStages<RowTiles>;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int g = lane / 4;
  const int t = lane % 4;
  Ring<RowTiles>& ring = static_cast<Ring<RowTiles>*>(dynamic_shared())[warp];
  const int stretches = p.in_features / kStretch;
  const int blocks = p.out_features / (RowTiles * kTile);
  // A warp beyond the stretches has nothing to ask for.
  Cursor next{warp < stretches ? static_cast<int>(blockIdx.x) : blocks, warp};
  Cursor early = next;
#pragma unroll
  for (int i = 0; i < kDepth; ++i) {
    if (early.block < blocks) copy_weight<RowTiles>(ring[i], p, early, lane);
    early.advance(warp, stretches);
  }
  wait_for_previous();
#pragma unroll
  for (int i = 0; i < kDepth; ++i) {
    if (next.block < blocks) copy_x<RowTiles>(ring[i], p, next, lane);
    close_copy_group();
    next.advance(warp, stretches);
  }
  int stage = 0;
  for (int block = static_cast<int>(blockIdx.x); block < blocks;
       block += static_cast<int>(gridDim.x)) {
    float sum[RowTiles][2][4] = {};
    for (int stretch = warp; stretch < stretches; stretch += kWarps) {
      wait_for_copies<kDepth - 1>();
      __syncwarp();
      multiply<RowTiles>(sum, ring[stage], g, t);
      __syncwarp();  // all lanes have read what the copies overwrite
      if (next.block < blocks) {
        copy_weight<RowTiles>(ring[stage], p, next, lane);
        copy_x<RowTiles>(ring[stage], p, next, lane);
      }
      close_copy_group();
      next.advance(warp, stretches);
      stage = stage + 1 == kDepth ? 0 : stage + 1;
    }
#pragma unroll
    for (int r = 0; r < RowTiles; ++r) {
#pragma unroll
      for (int c = 0; c < 2; ++c) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          sums[warp][8 * c + 2 * t + i % 2][kTile * r + g + 8 * (i / 2)] = sum[r][c][i];
        }
      }
    }
    __syncthreads();
    store_block<RowTiles>(p, sums, block);
    __syncthreads();
  }
}

}  // namespace

bool streamed_gemm_takes(std::int64_t rows, std::int64_t out_features, std::int64_t in_features) {
  return rows >= 1 && rows <= kStreamedRowsMax && out_features % (2 * kTile) == 0 &&
         in_features % kStretch == 0;
}

cudaError_t streamed_gemm(const LaunchContext& context, const StreamedGemm& arguments) {
  if (!streamed_gemm_takes(arguments.rows, arguments.out_features, arguments.in_features)) {
    return cudaErrorInvalidValue;
  }
  const auto run = [&](int tiles, unsigned ring_bytes, auto kernel) {
    const auto blocks = static_cast<unsigned>(arguments.out_features / (tiles * kTile));
    return launch_with_shared(context,
                              std::min(blocks, static_cast<unsigned>(arguments.multiprocessors)),
                              kThreads, kWarps * ring_bytes, kernel, arguments);
  };
  // Three tiles if they give fewer rows to the busiest multiprocessor.
  const auto rows_of_busiest = [&](int tiles) {
    const int blocks = arguments.out_features / (tiles * kTile);
    return (blocks + arguments.multiprocessors - 1) / arguments.multiprocessors * tiles;
  };
  if (!arguments.gated && arguments.out_features % (3 * kTile) == 0 &&
      rows_of_busiest(3) < rows_of_busiest(2)) {
    return run(3, sizeof(Ring<3>), streamed_gemm_kernel<3>);
  }
  return run(2, sizeof(Ring<2>), streamed_gemm_kernel<2>);
}

}  // namespace perfgate::builtin
