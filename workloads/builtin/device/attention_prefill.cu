// Prefill attention: causal softmax(Q K^T) V with tensor cores and a running maximum (the
// FlashAttention-2 order of work; Dao 2023). One CTA takes 64 queries of one head, each warp 16 of
// them; keys and values pass through shared memory in tiles of 64.
//
// As in attention_decode.cu the sum over the head dimension is filled as 16-byte vectors come: lane
// (g, t) holds elements 32 j + 8 t .. + 7 of queries g and g + 8, and reads the same elements of
// key g of each 8-key column block.
#include "workloads/builtin/device/kernels.h"
#include "workloads/builtin/device/launch.cuh"
#include "workloads/builtin/device/mma.cuh"
#include "workloads/builtin/device/pack.cuh"

namespace perfgate::builtin {
namespace {

constexpr int kWarp = 32;
constexpr int kWarps = 4;
constexpr int kThreads = kWarps * kWarp;
constexpr int kQueries = 64;  // of a CTA: 16 per warp
constexpr int kKeys = 64;     // of a tile
constexpr float kLog2E = 1.44269504F;
constexpr unsigned kAllLanes = 0xffffffffU;

struct Lane {
  int g;
  int t;
};

/// Rows are padded so that the reads hit all banks: keys by vectors of 4 lanes x 2 rows, values by
/// 8 rows of ldmatrix.
template <int HeadDim>
struct SharedTile {
  alignas(16) std::uint16_t keys[kKeys][HeadDim + 32];
  alignas(16) std::uint16_t values[kKeys][HeadDim + 8];
};

template <int HeadDim>
struct WarpState {
  float top[2] = {-INFINITY, -INFINITY};  // rows g and g + 8, base 2
  float sum[2] = {0.0F, 0.0F};            // per lane until the end
  float out[HeadDim / 8][4] = {};
};

template <int HeadDim>
__device__ void load_tile(SharedTile<HeadDim>& tile, const Bf16Bits* keys, const Bf16Bits* values,
                          int first, int tokens) {
  constexpr int kVectors = HeadDim / 8;
  for (int i = static_cast<int>(threadIdx.x); i < kKeys * kVectors; i += kThreads) {
    const int row = i / kVectors;
    const int column = (i % kVectors) * 8;
    const std::int64_t from =
        static_cast<std::int64_t>(min(first + row, tokens - 1)) * HeadDim + column;
    *reinterpret_cast<uint4*>(&tile.keys[row][column]) =
        *reinterpret_cast<const uint4*>(keys + from);
    *reinterpret_cast<uint4*>(&tile.values[row][column]) =
        *reinterpret_cast<const uint4*>(values + from);
  }
}

/// s[block] = scores of rows g, g + 8 against keys 8 block + 2t, + 1.
template <int HeadDim>
__device__ __forceinline__ void score(float (&s)[kKeys / 8][4], const uint4 (&low)[HeadDim / 32],
                                      const uint4 (&high)[HeadDim / 32],
                                      const SharedTile<HeadDim>& tile, Lane lane) {
#pragma unroll
  for (int block = 0; block < kKeys / 8; ++block) {
    for (int c = 0; c < 4; ++c) s[block][c] = 0.0F;
#pragma unroll
    for (int j = 0; j < HeadDim / 32; ++j) {
      const uint4 k =
          *reinterpret_cast<const uint4*>(&tile.keys[8 * block + lane.g][32 * j + 8 * lane.t]);
      mma_16x8x16(s[block], low[j].x, high[j].x, low[j].y, high[j].y, k.x, k.y);
      mma_16x8x16(s[block], low[j].z, high[j].z, low[j].w, high[j].w, k.z, k.w);
    }
  }
}

/// Masks keys after the row's query, then turns scores into weights. Key 0 is in the first tile and
/// open to every row, so `top` is finite from then on.
template <int HeadDim>
__device__ __forceinline__ void soften(float (&s)[kKeys / 8][4], WarpState<HeadDim>& state,
                                       int first_key, int first_query, float scale_log2,
                                       Lane lane) {
  float top[2] = {state.top[0], state.top[1]};
#pragma unroll
  for (int block = 0; block < kKeys / 8; ++block) {
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      const int key = first_key + 8 * block + 2 * lane.t + c % 2;
      const int query = first_query + lane.g + 8 * (c / 2);
      s[block][c] = key <= query ? s[block][c] * scale_log2 : -INFINITY;
      top[c / 2] = fmaxf(top[c / 2], s[block][c]);
    }
  }
  float shrink[2];
#pragma unroll
  for (int row = 0; row < 2; ++row) {
    top[row] = fmaxf(top[row], __shfl_xor_sync(kAllLanes, top[row], 1));
    top[row] = fmaxf(top[row], __shfl_xor_sync(kAllLanes, top[row], 2));
    shrink[row] = exp2f(state.top[row] - top[row]);
    state.top[row] = top[row];
    state.sum[row] *= shrink[row];
  }
#pragma unroll
  for (int block = 0; block < kKeys / 8; ++block) {
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      s[block][c] = exp2f(s[block][c] - top[c / 2]);
      state.sum[c / 2] += s[block][c];
    }
  }
#pragma unroll
  for (int i = 0; i < HeadDim / 8; ++i) {
    for (int c = 0; c < 4; ++c) state.out[i][c] *= shrink[c / 2];
  }
}

template <int HeadDim>
__device__ __forceinline__ void gather(WarpState<HeadDim>& state, const float (&s)[kKeys / 8][4],
                                       const SharedTile<HeadDim>& tile, int lane_id) {
#pragma unroll
  for (int step = 0; step < kKeys / 16; ++step) {
    const std::uint32_t a0 = bf16_pack(s[2 * step][0], s[2 * step][1]);
    const std::uint32_t a1 = bf16_pack(s[2 * step][2], s[2 * step][3]);
    const std::uint32_t a2 = bf16_pack(s[2 * step + 1][0], s[2 * step + 1][1]);
    const std::uint32_t a3 = bf16_pack(s[2 * step + 1][2], s[2 * step + 1][3]);
    const int row =
        16 * step +
        lane_id % 16;  // matrices 0, 1: keys 0-7, 8-15; matrices 2, 3: eight dims further
#pragma unroll
    for (int i = 0; i < HeadDim / 16; ++i) {
      std::uint32_t b[4];
      load_transposed(b, &tile.values[row][16 * i + 8 * (lane_id / 16)]);
      mma_16x8x16(state.out[2 * i], a0, a1, a2, a3, b[0], b[1]);
      mma_16x8x16(state.out[2 * i + 1], a0, a1, a2, a3, b[2], b[3]);
    }
  }
}

template <int HeadDim>
__device__ void store_rows(WarpState<HeadDim>& state, Bf16Bits* out, std::int64_t row_width,
                           int first_query, int tokens, Lane lane) {
#pragma unroll
  for (int row = 0; row < 2; ++row) {
    state.sum[row] += __shfl_xor_sync(kAllLanes, state.sum[row], 1);
    state.sum[row] += __shfl_xor_sync(kAllLanes, state.sum[row], 2);
    const int query = first_query + lane.g + 8 * row;
    if (query >= tokens) continue;
    const float scale = 1.0F / state.sum[row];
    Bf16Bits* to = out + query * row_width + 2 * lane.t;
#pragma unroll
    for (int i = 0; i < HeadDim / 8; ++i) {
      *reinterpret_cast<std::uint32_t*>(to + 8 * i) =
          bf16_pack(state.out[i][2 * row] * scale, state.out[i][2 * row + 1] * scale);
    }
  }
}

template <int HeadDim>
__global__ void __launch_bounds__(kThreads) attention_prefill_kernel(PrefillAttention p) {
  __shared__ SharedTile<HeadDim> tile;
  wait_for_previous();
  const int lane_id = static_cast<int>(threadIdx.x) % kWarp;
  const Lane lane{lane_id / 4, lane_id % 4};
  const int head = static_cast<int>(blockIdx.y);
  const auto sequence = static_cast<std::int64_t>(blockIdx.z);
  const int cta_query =
      static_cast<int>(gridDim.x - 1 - blockIdx.x) * kQueries;  // the longest rows first
  const int first_query = cta_query + 16 * (static_cast<int>(threadIdx.x) / kWarp);
  const std::int64_t qkv_width = static_cast<std::int64_t>(p.heads + 2 * p.kv_heads) * HeadDim;
  const Bf16Bits* queries = p.qkv + sequence * p.tokens * qkv_width + head * HeadDim;
  const std::int64_t cache_at =
      (sequence * p.kv_heads + head / (p.heads / p.kv_heads)) * p.capacity * HeadDim;

  uint4 low[HeadDim / 32];
  uint4 high[HeadDim / 32];
  const int low_row = min(first_query + lane.g, p.tokens - 1);
  const int high_row = min(first_query + lane.g + 8, p.tokens - 1);
#pragma unroll
  for (int j = 0; j < HeadDim / 32; ++j) {
    low[j] = *reinterpret_cast<const uint4*>(queries + low_row * qkv_width + 32 * j + 8 * lane.t);
    high[j] = *reinterpret_cast<const uint4*>(queries + high_row * qkv_width + 32 * j + 8 * lane.t);
  }
  WarpState<HeadDim> state;
  const int key_end = min(cta_query + kQueries, p.tokens);
  for (int first_key = 0; first_key < key_end; first_key += kKeys) {
    load_tile<HeadDim>(tile, p.keys + cache_at, p.values + cache_at, first_key, p.tokens);
    __syncthreads();
    float s[kKeys / 8][4];
    score<HeadDim>(s, low, high, tile, lane);
    soften<HeadDim>(s, state, first_key, first_query, kLog2E * rsqrtf(static_cast<float>(HeadDim)),
                    lane);
    gather<HeadDim>(state, s, tile, lane_id);
    __syncthreads();  // the next tile overwrites this one
  }
  const std::int64_t out_width = static_cast<std::int64_t>(p.heads) * HeadDim;
  store_rows<HeadDim>(state, p.out + sequence * p.tokens * out_width + head * HeadDim, out_width,
                      first_query, p.tokens, lane);
}

}  // namespace

cudaError_t prefill_attention(const LaunchContext& context, const PrefillAttention& arguments) {
  const dim3 grid(static_cast<unsigned>((arguments.tokens + kQueries - 1) / kQueries),
                  static_cast<unsigned>(arguments.heads), static_cast<unsigned>(arguments.batch));
  if (arguments.head_dim == 64)
    return launch(context, grid, kThreads, attention_prefill_kernel<64>, arguments);
  if (arguments.head_dim == 128)
    return launch(context, grid, kThreads, attention_prefill_kernel<128>, arguments);
  return cudaErrorInvalidValue;
}

}  // namespace perfgate::builtin
