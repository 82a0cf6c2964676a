// Decode attention. One CTA serves one sequence, one KV head with its group of query heads, and one
// part of the context; each key and value is read from memory once, by asynchronous copies into
// shared memory. Every warp walks its own tiles through a ring of its own: no warp waits for
// another before the end.
//
// Per warp and tile of 16 keys, with g = lane / 4 and t = lane % 4 (mma.cuh):
// - S (16 keys x 8 heads) = K x Q^T. A sum over the head dimension may run in any order, so lane
//   (g, t) takes whole chunks of 8 elements, those of key_chunk(), of keys g and g + 8, and of
//   head g's query.
// - O^T (dims x 8 heads) += V^T x P^T. Rows of V^T may be any dims, so lane (g, t) takes the chunks
//   g and g + 8 of the keys 2t, 2t+1, 2t+8, 2t+9 and pairs two keys' elements by byte permutation.
//   P^T comes from S by movmatrix.
//
// Heads beyond the group are zero columns. Softmax in base 2, FP32; a part's result is
// unnormalised.
#include "workloads/builtin/device/kernels.h"
#include "workloads/builtin/device/kv_tile.cuh"
#include "workloads/builtin/device/launch.cuh"
#include "workloads/builtin/device/mma.cuh"
#include "workloads/builtin/device/pack.cuh"
#include "workloads/builtin/device/prefetch.cuh"

namespace perfgate::builtin {
namespace {

// Eight warps fill a multiprocessor, in one CTA or in two (decode_warps()). Its share of an H200's
// 4.8 TB/s is 36 KiB a microsecond, and a loaded memory answers after 1 to 1.5 of them: some 50 KiB
// must be in flight all the time. Tiles are 8 KiB (head_dim 128); with three for each warp 128 KiB
// stay in flight while every warp works on its third. Eight warps also hide each other's chains of
// products and exponentials.
constexpr int kWarp = 32;
constexpr int kWarpsMax = 8;
constexpr int kThreadsMax = kWarpsMax * kWarp;
constexpr int kStages = 3;
constexpr int kHeadColumns = 8;  // columns of the instruction; group <= 8
constexpr float kLog2E = 1.44269504F;
constexpr unsigned kAllLanes = 0xffffffffU;

__device__ __forceinline__ int thread_count() { return static_cast<int>(blockDim.x); }

struct Lane {
  int g;
  int t;
  int index;
};

template <int HeadDim>
struct ValueFragment {
  uint4 vector[4][HeadDim / 64];  // keys 2t, 2t+1, 2t+8, 2t+9; elements 64 h + 8 g .. + 7
};

/// A warp's tiles in flight; at the end its result.
template <int HeadDim>
using Ring = KvTile<HeadDim>[kStages];

/// What a warp has gathered: column 0 is head 2t, column 1 head 2t + 1. `sum` is per lane until the
/// end.
template <int HeadDim>
struct WarpState {
  float top[2] = {-INFINITY, -INFINITY};
  float sum[2] = {0.0F, 0.0F};
  float out[HeadDim / 16][4] = {};
};

template <int HeadDim, int Group>
struct SharedState {
  alignas(16) Bf16Bits query[Group][HeadDim];
  alignas(16) Bf16Bits newest[2][HeadDim];  // the appended key and value
  float top[kWarpsMax][kHeadColumns];
  float sum[kWarpsMax][kHeadColumns];
};

/// The chunk that lane t feeds to the products of step j.
__device__ __forceinline__ int key_chunk(int t, int j) { return 8 * (j / 2) + 2 * t + j % 2; }

template <int HeadDim>
__device__ __forceinline__ void read_values(ValueFragment<HeadDim>& v, const KvTile<HeadDim>& tile,
                                            Lane lane) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int row = 2 * lane.t + (i & 1) + (i & 2) * 4;
#pragma unroll
    for (int h = 0; h < HeadDim / 64; ++h) {
      v.vector[i][h] = tile.v[row][place_of(row, 8 * h + lane.g)];
    }
  }
}

__device__ __forceinline__ std::uint32_t word_of(const uint4& v, int i) {
  return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

/// Element e of two keys' vectors as one word, the first key in the low half.
template <int HeadDim>
__device__ __forceinline__ std::uint32_t pair_of(const ValueFragment<HeadDim>& v, int first_key,
                                                 int e) {
  const std::uint32_t a = word_of(v.vector[first_key][e / 8], (e % 8) / 2);
  const std::uint32_t b = word_of(v.vector[first_key + 1][e / 8], (e % 8) / 2);
  return __byte_perm(a, b, e % 2 == 0 ? 0x5410 : 0x7632);
}

/// Scores of keys g and g + 8 against heads 2t and 2t + 1, in C's order. Two chains of products are
/// half as long as one.
template <int HeadDim>
__device__ __forceinline__ void score(float (&s)[4], const KvTile<HeadDim>& tile,
                                      const uint4 (&q)[HeadDim / 32], Lane lane) {
  float other[4] = {0.0F, 0.0F, 0.0F, 0.0F};
#pragma unroll
  for (int j = 0; j < HeadDim / 32; ++j) {
    const int place = place_of(lane.g, key_chunk(lane.t, j));
    const uint4 low = tile.k[lane.g][place];
    const uint4 high = tile.k[lane.g + 8][place];
    mma_16x8x16(s, low.x, high.x, low.y, high.y, q[j].x, q[j].y);
    mma_16x8x16(other, low.z, high.z, low.w, high.w, q[j].z, q[j].w);
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) s[i] += other[i];
}

/// Scores to weights exp2(s - top), with the running maximum; rescales what was gathered before.
/// Keys beyond `last` get weight 0. A tile has at least one valid key, so `top` is finite
/// afterwards.
template <int HeadDim>
__device__ __forceinline__ void soften(float (&s)[4], WarpState<HeadDim>& state, int first,
                                       int last, float scale_log2, Lane lane) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int key = first + lane.g + (i / 2) * 8;
    s[i] = key <= last ? s[i] * scale_log2 : -INFINITY;
  }
  float shrink[2];
#pragma unroll
  for (int column = 0; column < 2; ++column) {
    float top = fmaxf(s[column], s[column + 2]);
    for (int offset = 4; offset < kWarp; offset *= 2) {
      top = fmaxf(top, __shfl_xor_sync(kAllLanes, top, offset));
    }
    top = fmaxf(top, state.top[column]);
    shrink[column] = exp2f(state.top[column] - top);
    state.top[column] = top;
    s[column] = exp2f(s[column] - top);
    s[column + 2] = exp2f(s[column + 2] - top);
    state.sum[column] = state.sum[column] * shrink[column] + s[column] + s[column + 2];
  }
#pragma unroll
  for (int i = 0; i < HeadDim / 16; ++i) {
    for (int c = 0; c < 4; ++c) state.out[i][c] *= shrink[c % 2];
  }
}

template <int HeadDim>
__device__ __forceinline__ void gather(WarpState<HeadDim>& state, const float (&weights)[4],
                                       const KvTile<HeadDim>& tile, Lane lane) {
  constexpr int kRowShift = HeadDim / 16;  // row g + 8 of a fragment is this many elements further
  ValueFragment<HeadDim> v;
  read_values<HeadDim>(v, tile, lane);
  const std::uint32_t b0 = transpose_8x8(bf16_pack(weights[0], weights[1]));
  const std::uint32_t b1 = transpose_8x8(bf16_pack(weights[2], weights[3]));
#pragma unroll
  for (int e = 0; e < kRowShift; ++e) {
    mma_16x8x16(state.out[e], pair_of<HeadDim>(v, 0, e), pair_of<HeadDim>(v, 0, e + kRowShift),
                pair_of<HeadDim>(v, 2, e), pair_of<HeadDim>(v, 2, e + kRowShift), b0, b1);
  }
}

/// Rotates the group's queries into shared memory; the last part's CTA also appends the new key and
/// value to the cache, and keeps them at hand.
template <int HeadDim, int Group>
__device__ void rotate_and_append(const DecodeAttention& p, SharedState<HeadDim, Group>& shared,
                                  Bf16Bits* keys, Bf16Bits* values, int position, bool appends) {
  constexpr int kHalf = HeadDim / 2;
  const int kv_head = static_cast<int>(blockIdx.y);
  const Bf16Bits* row =
      p.qkv + static_cast<std::int64_t>(blockIdx.z) * (p.heads + 2 * p.kv_heads) * HeadDim;
  const auto* rope =
      reinterpret_cast<const float2*>(p.rope) + static_cast<std::int64_t>(position) * kHalf;
  for (int i = static_cast<int>(threadIdx.x); i < Group * kHalf; i += thread_count()) {
    const int head = i / kHalf;
    const int d = i % kHalf;
    const Bf16Bits* query = row + (kv_head * Group + head) * HeadDim + d;
    const float low = bf16_load(query);
    const float high = bf16_load(query + kHalf);
    const float2 turn = rope[d];
    shared.query[head][d] = bf16_bits(low * turn.x - high * turn.y);
    shared.query[head][d + kHalf] = bf16_bits(high * turn.x + low * turn.y);
  }
  if (!appends) return;
  const Bf16Bits* key = row + (p.heads + kv_head) * HeadDim;
  const Bf16Bits* value = row + (p.heads + p.kv_heads + kv_head) * HeadDim;
  const std::int64_t at = static_cast<std::int64_t>(position) * HeadDim;
  for (int d = static_cast<int>(threadIdx.x); d < kHalf; d += thread_count()) {
    const float low = bf16_load(key + d);
    const float high = bf16_load(key + d + kHalf);
    const float2 turn = rope[d];
    keys[at + d] = shared.newest[0][d] = bf16_bits(low * turn.x - high * turn.y);
    keys[at + d + kHalf] = shared.newest[0][d + kHalf] = bf16_bits(high * turn.x + low * turn.y);
  }
  for (int d = static_cast<int>(threadIdx.x); d < HeadDim; d += thread_count()) {
    values[at + d] = shared.newest[1][d] = value[d];
  }
}

/// Which tiles are a warp's: every `warps`-th one of [tile, tile_end).
struct Walk {
  int tile;
  int tile_end;
  int warps;
};

/// Asks for the tile, if it is the warp's, as one group.
template <int HeadDim>
__device__ __forceinline__ void ask_for(KvTile<HeadDim>& stage, const KvRows& from, int tile,
                                        const Walk& walk, Lane lane) {
  if (tile < walk.tile_end) copy_tile<HeadDim>(stage, from, tile * kTileKeys, lane.index);
  close_copy_group();
}

/// The first kStages tiles have been asked for.
template <int HeadDim, int Group>
__device__ void attend_tiles(WarpState<HeadDim>& state, Ring<HeadDim>& ring,
                             const SharedState<HeadDim, Group>& shared, const KvRows& from,
                             const Walk& walk, Lane lane) {
  const float scale_log2 = kLog2E * rsqrtf(static_cast<float>(HeadDim));
  uint4 query[HeadDim / 32];
#pragma unroll
  for (int j = 0; j < HeadDim / 32; ++j) {
    query[j] = make_uint4(0, 0, 0, 0);
    if (lane.g < Group) {
      query[j] = *reinterpret_cast<const uint4*>(
          &shared.query[lane.g][key_chunk(lane.t, j) * kChunkElements]);
    }
  }
  const int newest = from.cached;
  int stage = 0;
  for (int tile = walk.tile; tile < walk.tile_end; tile += walk.warps) {
    wait_for_copies<kStages - 1>();
    __syncwarp();
    KvTile<HeadDim>& now = ring[stage];
    if (tile == newest / kTileKeys) {
      write_row<HeadDim>(now, newest % kTileKeys, shared.newest, lane.index);
      __syncwarp();
    }
    float s[4] = {0.0F, 0.0F, 0.0F, 0.0F};
    score<HeadDim>(s, now, query, lane);
    soften<HeadDim>(s, state, tile * kTileKeys, newest, scale_log2, lane);
    gather<HeadDim>(state, s, now, lane);
    __syncwarp();  // all lanes have read what the copy overwrites
    ask_for<HeadDim>(now, from, tile + kStages * walk.warps, walk, lane);
    stage = stage + 1 == kStages ? 0 : stage + 1;
  }
}

/// Where a warp leaves its result, [Group][HeadDim]: in its ring, which nothing flies to any more.
template <int HeadDim>
__device__ __forceinline__ float* result_of(Ring<HeadDim>& ring) {
  return reinterpret_cast<float*>(&ring[0]);
}

template <int HeadDim, int Group>
__device__ void store_warp(SharedState<HeadDim, Group>& shared, Ring<HeadDim>& ring,
                           WarpState<HeadDim>& state, int warp, Lane lane) {
  static_assert(Group * HeadDim * sizeof(float) <= sizeof(Ring<HeadDim>));
  constexpr int kRowShift = HeadDim / 16;
#pragma unroll
  for (int column = 0; column < 2; ++column) {
    for (int offset = 4; offset < kWarp; offset *= 2) {
      state.sum[column] += __shfl_xor_sync(kAllLanes, state.sum[column], offset);
    }
    const int head = 2 * lane.t + column;
    if (head >= Group) continue;
    if (lane.g == 0) {
      shared.top[warp][head] = state.top[column];
      shared.sum[warp][head] = state.sum[column];
    }
#pragma unroll
    for (int e = 0; e < HeadDim / 8; e += 4) {
      const int dim = (e / 8) * 64 + lane.g * 8 + e % 8;
      const int from = e % kRowShift;
      const int c = 2 * (e / kRowShift) + column;
      *reinterpret_cast<float4*>(result_of<HeadDim>(ring) + head * HeadDim + dim) =
          make_float4(state.out[from][c], state.out[from + 1][c], state.out[from + 2][c],
                      state.out[from + 3][c]);
    }
  }
}

/// Adds the warps up in order and writes the part, or the normalised result if there is one part
/// only.
template <int HeadDim, int Group>
__device__ void store_part(const DecodeAttention& p, const SharedState<HeadDim, Group>& shared,
                           Ring<HeadDim>* rings) {
  const int warps = thread_count() / kWarp;
  const int split = static_cast<int>(blockIdx.x);
  const std::int64_t first_head = static_cast<std::int64_t>(blockIdx.z) * p.heads +
                                  static_cast<std::int64_t>(blockIdx.y) * Group;
  for (int i = static_cast<int>(threadIdx.x); i < Group * HeadDim; i += thread_count()) {
    const int head = i / HeadDim;
    const int d = i % HeadDim;
    float top = -INFINITY;
    for (int warp = 0; warp < warps; ++warp) top = fmaxf(top, shared.top[warp][head]);
    float sum = 0.0F;
    float out = 0.0F;
    for (int warp = 0; warp < warps; ++warp) {
      if (shared.top[warp][head] == -INFINITY)
        continue;  // a warp without tiles; -inf - -inf is NaN
      const float weight = exp2f(shared.top[warp][head] - top);
      sum += weight * shared.sum[warp][head];
      out += weight * result_of<HeadDim>(rings[warp])[i];
    }
    if (p.splits == 1) {
      p.out[(first_head + head) * HeadDim + d] = bf16_bits(out / sum);
      continue;
    }
    const std::int64_t part = (first_head + head) * p.splits + split;
    p.partial[part * HeadDim + d] = out;
    if (d == 0) reinterpret_cast<float2*>(p.partial_state)[part] = make_float2(top, sum);
  }
}

template <int HeadDim, int Group>
__global__ void __launch_bounds__(kThreadsMax, 1) attention_decode_kernel(DecodeAttention p) {
  __shared__ SharedState<HeadDim, Group> shared;
  auto* rings = static_cast<Ring<HeadDim>*>(dynamic_shared());
  const int lane_id = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const Lane lane{lane_id / 4, lane_id % 4, lane_id};
  const int split = static_cast<int>(blockIdx.x);
  const int position = p.positions[blockIdx.z];
  const std::int64_t head_at =
      (static_cast<std::int64_t>(blockIdx.z) * p.kv_heads + blockIdx.y) * p.capacity * HeadDim;
  Bf16Bits* keys = p.keys + head_at;
  Bf16Bits* values = p.values + head_at;
  const KvRows cache{keys, values, position};
  // Every part gets tiles [n s / S, n (s + 1) / S); the last part is never empty and holds the
  // newest token.
  const int tiles = position / kTileKeys + 1;
  const int tile_begin = static_cast<int>(static_cast<std::int64_t>(tiles) * split / p.splits);
  const int tile_end = static_cast<int>(static_cast<std::int64_t>(tiles) * (split + 1) / p.splits);
  const Walk walk{tile_begin + warp, tile_end, thread_count() / kWarp};
  // Earlier tokens do not depend on the kernel in front of this one. The newest never goes through
  // the cache.
#pragma unroll
  for (int i = 0; i < kStages; ++i) {
    ask_for<HeadDim>(rings[warp][i], cache, walk.tile + i * walk.warps, walk, lane);
  }
  wait_for_previous();
  rotate_and_append<HeadDim, Group>(p, shared, keys, values, position, split == p.splits - 1);
  __syncthreads();
  WarpState<HeadDim> state;
  attend_tiles<HeadDim, Group>(state, rings[warp], shared, cache, walk, lane);
  const std::int64_t cta =
      (static_cast<std::int64_t>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  prefetch_share(p.prefetch, cta, static_cast<std::int64_t>(gridDim.x) * gridDim.y * gridDim.z);
  store_warp<HeadDim, Group>(shared, rings[warp], state, warp, lane);
  __syncthreads();
  store_part<HeadDim, Group>(p, shared, rings);
}

using Kernel = void (*)(DecodeAttention);

template <int HeadDim>
Kernel kernel_for_group(int group) {
  switch (group) {
    case 1: return attention_decode_kernel<HeadDim, 1>;
    case 2: return attention_decode_kernel<HeadDim, 2>;
    case 4: return attention_decode_kernel<HeadDim, 4>;
    case 8: return attention_decode_kernel<HeadDim, 8>;
    default: return nullptr;
  }
}

Kernel kernel_for(int head_dim, int group) {
  if (head_dim == 64) return kernel_for_group<64>(group);
  if (head_dim == 128) return kernel_for_group<128>(group);
  return nullptr;
}

unsigned ring_bytes(int head_dim) { return head_dim == 64 ? sizeof(Ring<64>) : sizeof(Ring<128>); }

}  // namespace

cudaError_t decode_attention(const LaunchContext& context, const DecodeAttention& arguments) {
  const Kernel kernel = kernel_for(arguments.head_dim, arguments.heads / arguments.kv_heads);
  if (kernel == nullptr || arguments.warps < 1 || arguments.warps > kWarpsMax) {
    return cudaErrorInvalidValue;
  }
  const auto batch = static_cast<unsigned>(arguments.batch);
  const dim3 grid(static_cast<unsigned>(arguments.splits),
                  static_cast<unsigned>(arguments.kv_heads), batch);
  const auto warps = static_cast<unsigned>(arguments.warps);
  const cudaError_t error = launch_with_shared(
      context, grid, warps * kWarp, warps * ring_bytes(arguments.head_dim), kernel, arguments);
  if (error != cudaSuccess || arguments.splits == 1) return error;
  return combine_attention(context, arguments);
}

}  // namespace perfgate::builtin
