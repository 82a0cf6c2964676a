// Y = X W^T for at most 16 rows of X: reading W once is all that counts.
//
// One CTA fills a multiprocessor and walks over blocks of 16 x RowTiles rows of W. Its warps take
// turns along k in stretches of 64; each has a ring of stretches in shared memory, filled by
// asynchronous copies that run on from block to block, also while the warps' sums are added up. The
// first of them are asked for before the kernel in front has ended, as it does not write weights:
// the memory does not rest between two kernels.
//
// X counts too: fetched again for every block it would be half as many bytes again out of L2, which
// then, not the memory, sets the pace. Up to kResidentK each lane keeps its share of X in
// registers; longer rows go through the rings with W.
//
// A sum over k may run in any order, so lane (g, t) (mma.cuh: g = lane / 4, t = lane % 4) takes the
// whole 16-byte chunks 2t and 2t + 1 of rows g and g + 8 of W, and of X. Chunk c of a row r lies at
// chunk c ^ (r % 8): eight lanes that read or write at once touch every bank once. The warps' sums
// are added in the order of the warps.
#include <algorithm>

#include "workloads/builtin/device/async_copy.cuh"
#include "workloads/builtin/device/kernels.h"
#include "workloads/builtin/device/launch.cuh"
#include "workloads/builtin/device/mma.cuh"
#include "workloads/builtin/device/pack.cuh"

namespace perfgate::builtin {
namespace {

constexpr int kWarp = 32;
constexpr int kWarps = 8;
constexpr int kThreads = kWarps * kWarp;
constexpr int kTile = 16;  // rows of W in one instruction
constexpr int kStretch = 64;
constexpr int kChunkElements = 8;
constexpr int kChunks = kStretch / kChunkElements;

constexpr int kResident = 8;  // stretches of X in a warp's registers: 128 of each lane
constexpr int kResidentK = kResident * kWarps * kStretch;

/// A warp's stretch of W, and of X unless that is in registers.
template <int RowTiles, bool Resident>
struct Stretch {
  static constexpr int kRows = RowTiles * kTile + (Resident ? 0 : kSkinnyRowsMax);
  uint4 chunk[kRows][kChunks];  // W's rows, then X's
};

/// As many as fit in 192 KiB. A multiprocessor's share of an H200's 4.8 TB/s is 36 KiB a
/// microsecond, and a loaded memory answers after 1 to 1.5 of them: some 50 KiB must be in flight.
/// With these 96 KiB of W or more are, while each warp works on its oldest stretch.
template <int RowTiles, bool Resident>
constexpr int kStages = 24 * 1024 / sizeof(Stretch<RowTiles, Resident>);

template <int RowTiles, bool Resident>
using Ring = Stretch<RowTiles, Resident>[kStages<RowTiles, Resident>];

/// A lane's part of a stretch of X: chunks 2t and 2t + 1 of rows g and g + 8.
struct XFragment {
  uint4 chunk[2][2];
};

__device__ __forceinline__ int place_of(int row, int chunk) { return chunk ^ (row % 8); }

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
template <int RowTiles, bool Resident>
__device__ __forceinline__ void copy_weight(Stretch<RowTiles, Resident>& to, const SkinnyGemm& p,
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
      copy_16_async(&to.chunk[row][place_of(row, chunk)], from + r * tile_step + 4 * i * k, true);
    }
  }
}

template <int RowTiles>
__device__ __forceinline__ void copy_x(Stretch<RowTiles, false>& to, const SkinnyGemm& p,
                                       const Cursor& at, int lane) {
  const int chunk = lane % kChunks;
#pragma unroll
  for (int i = 0; i < kSkinnyRowsMax / 4; ++i) {
    const int row = 4 * i + lane / kChunks;
    const bool present = row < p.rows;
    copy_16_async(&to.chunk[RowTiles * kTile + row][place_of(row, chunk)],
                  p.x + static_cast<std::int64_t>(present ? row : 0) * p.in_features +
                      at.stretch * kStretch + chunk * kChunkElements,
                  present);
  }
}

/// Straight from memory. Rows that X does not have repeat the last one; their sums are not stored.
__device__ __forceinline__ void load_x(XFragment& x, const SkinnyGemm& p, int stretch, int g,
                                       int t) {
#pragma unroll
  for (int c = 0; c < 2; ++c) {
    const Bf16Bits* row =
        p.x + static_cast<std::int64_t>(min(g + 8 * c, p.rows - 1)) * p.in_features;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      x.chunk[h][c] = __ldcg(
          reinterpret_cast<const uint4*>(row + stretch * kStretch + (2 * t + h) * kChunkElements));
    }
  }
}

template <int RowTiles>
__device__ __forceinline__ void read_x(XFragment& x, const Stretch<RowTiles, false>& from, int g,
                                       int t) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const int place = place_of(g, 2 * t + h);  // of row g + 8 as well
    x.chunk[h][0] = from.chunk[RowTiles * kTile + g][place];
    x.chunk[h][1] = from.chunk[RowTiles * kTile + g + 8][place];
  }
}

template <int RowTiles, bool Resident>
__device__ __forceinline__ void multiply(float (&sum)[RowTiles][2][4],
                                         const Stretch<RowTiles, Resident>& from,
                                         const XFragment& x, int g, int t) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const int place = place_of(g, 2 * t + h);
#pragma unroll
    for (int r = 0; r < RowTiles; ++r) {
      const uint4 low = from.chunk[r * kTile + g][place];
      const uint4 high = from.chunk[r * kTile + g + 8][place];
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        const uint4& v = x.chunk[h][c];
        mma_16x8x16(sum[r][c], low.x, high.x, low.y, high.y, v.x, v.y);
        mma_16x8x16(sum[r][c], low.z, high.z, low.w, high.w, v.z, v.w);
      }
    }
  }
}

/// Padded so that the lanes of a warp write to different banks.
template <int RowTiles>
using Sums = float[kWarps][kSkinnyRowsMax][RowTiles * kTile + 4];

template <int RowTiles>
__device__ __forceinline__ float total_of(const Sums<RowTiles>& sums, int x_row, int row) {
  float total = 0.0F;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) total += sums[w][x_row][row];
  return total;
}

template <int RowTiles>
__device__ void store_block(const SkinnyGemm& p, const Sums<RowTiles>& sums, int block) {
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

/// A warp's walk over its stretches.
template <int RowTiles, bool Resident>
struct Stream {
  static constexpr int kDepth = kStages<RowTiles, Resident>;
  const SkinnyGemm& p;
  Ring<RowTiles, Resident>& ring;
  int warp, lane, stretches, blocks;
  Cursor next;  ///< the first stretch that has not been asked for
  int stage = 0;

  /// Fills the ring; X not before the kernel in front has ended.
  __device__ void begin() {
    Cursor early = next;
#pragma unroll
    for (int i = 0; i < kDepth; ++i) {
      if (early.block < blocks) copy_weight<RowTiles, Resident>(ring[i], p, early, lane);
      if constexpr (Resident) close_copy_group();
      early.advance(warp, stretches);
    }
    wait_for_previous();
    if constexpr (!Resident) {
#pragma unroll
      for (int i = 0; i < kDepth; ++i) {
        if (next.block < blocks) copy_x<RowTiles>(ring[i], p, next, lane);
        close_copy_group();
        next.advance(warp, stretches);
      }
    }
    next = early;
  }

  /// Takes the oldest stretch in and asks for another one. `x` is read here unless resident.
  __device__ __forceinline__ void step(float (&sum)[RowTiles][2][4], XFragment& x) {
    wait_for_copies<kDepth - 1>();
    __syncwarp();
    const int g = lane / 4;
    const int t = lane % 4;
    if constexpr (!Resident) read_x<RowTiles>(x, ring[stage], g, t);
    multiply<RowTiles, Resident>(sum, ring[stage], x, g, t);
    __syncwarp();  // all lanes have read what the copies overwrite
    if (next.block < blocks) {
      copy_weight<RowTiles, Resident>(ring[stage], p, next, lane);
      if constexpr (!Resident) copy_x<RowTiles>(ring[stage], p, next, lane);
    }
    close_copy_group();
    next.advance(warp, stretches);
    stage = stage + 1 == kDepth ? 0 : stage + 1;
  }
};

template <int RowTiles, bool Resident>
__global__ void __launch_bounds__(kThreads, 1) streamed_gemm_kernel(SkinnyGemm p) {
  __shared__ Sums<RowTiles> sums;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int g = lane / 4;
  const int t = lane % 4;
  const int stretches = p.in_features / kStretch;
  const int blocks = p.out_features / (RowTiles * kTile);
  // A warp beyond the stretches has nothing to ask for.
  Stream<RowTiles, Resident> stream{
      p,
      static_cast<Ring<RowTiles, Resident>*>(dynamic_shared())[warp],
      warp,
      lane,
      stretches,
      blocks,
      Cursor{warp < stretches ? static_cast<int>(blockIdx.x) : blocks, warp}};
  stream.begin();
  XFragment x[Resident ? kResident : 1];
  if constexpr (Resident) {
#pragma unroll
    for (int i = 0; i < kResident; ++i) {
      if (warp + i * kWarps < stretches) load_x(x[i], p, warp + i * kWarps, g, t);
    }
  }
  for (int block = static_cast<int>(blockIdx.x); block < blocks;
       block += static_cast<int>(gridDim.x)) {
    float sum[RowTiles][2][4] = {};
    if constexpr (Resident) {
#pragma unroll
      for (int i = 0; i < kResident; ++i) {
        if (warp + i * kWarps < stretches) stream.step(sum, x[i]);
      }
    } else {
      for (int stretch = warp; stretch < stretches; stretch += kWarps) stream.step(sum, x[0]);
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

cudaError_t streamed_gemm(const LaunchContext& context, const SkinnyGemm& arguments) {
  if (!skinny_gemm_takes(arguments.rows, arguments.out_features, arguments.in_features)) {
    return cudaErrorInvalidValue;
  }
  const bool resident = arguments.in_features <= kResidentK;
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
    return resident ? run(3, sizeof(Ring<3, true>), streamed_gemm_kernel<3, true>)
                    : run(3, sizeof(Ring<3, false>), streamed_gemm_kernel<3, false>);
  }
  return resident ? run(2, sizeof(Ring<2, true>), streamed_gemm_kernel<2, true>)
                  : run(2, sizeof(Ring<2, false>), streamed_gemm_kernel<2, false>);
}

}  // namespace perfgate::builtin
