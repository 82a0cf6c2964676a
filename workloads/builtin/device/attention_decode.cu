// Decode attention. One CTA serves one sequence, one KV head with its group of query heads, and one
// part of the context; each key and value is read from memory once, in 16-byte vectors, straight
// into tensor-core fragments.
//
// Per warp and tile of 16 keys, with g = lane / 4 and t = lane % 4 (mma.cuh):
//   S (16 keys x 8 heads) = K x Q^T. A sum over the head dimension may run in any order, so the
//   k-slots of the instruction are filled as the vectors come: lane (g, t) holds elements 32 j + 8
//   t .. + 7 of keys g and g + 8, and of head g's query. O^T (dims x 8 heads) += V^T x P^T. Rows of
//   V^T may be any dims, so lane (g, t) loads whole vectors of the keys 2t, 2t+1, 2t+8, 2t+9 and
//   pairs two keys' elements by byte permutation. P^T comes from S by movmatrix.
// Heads beyond the group are zero columns. Softmax in base 2, FP32; a part's result is
// unnormalised.
#include "workloads/builtin/device/kernels.h"
#include "workloads/builtin/device/launch.cuh"
#include "workloads/builtin/device/mma.cuh"
#include "workloads/builtin/device/pack.cuh"
#include "workloads/builtin/device/prefetch.cuh"

namespace perfgate::builtin {
namespace {

constexpr int kWarp = 32;
constexpr int kWarps = 4;
constexpr int kThreads = kWarps * kWarp;
constexpr int kTile = 16;        // keys of one warp step
constexpr int kHeadColumns = 8;  // columns of the instruction; group <= 8
constexpr float kLog2E = 1.44269504F;
constexpr unsigned kAllLanes = 0xffffffffU;

struct Lane {
  int g;
  int t;
};

template <int HeadDim>
struct KeyFragment {
  uint4 low[HeadDim / 32];   // key g
  uint4 high[HeadDim / 32];  // key g + 8
};

template <int HeadDim>
struct ValueFragment {
  uint4 vector[4][HeadDim / 64];  // keys 2t, 2t+1, 2t+8, 2t+9; elements 64 h + 8 g .. + 7
};

/// A warp's loads in flight.
template <int HeadDim>
struct TileFragments {
  KeyFragment<HeadDim> k;
  ValueFragment<HeadDim> v;
};

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
  alignas(16) std::uint16_t query[Group][HeadDim];
  float top[kWarps][kHeadColumns];
  float sum[kWarps][kHeadColumns];
  float out[kWarps][Group][HeadDim];
  bool is_last;
};

/// Bypasses L1: nothing is read twice, and the CTA that appended a token reads it back.
__device__ __forceinline__ uint4 load_vector(const Bf16Bits* from) {
  return __ldcg(reinterpret_cast<const uint4*>(from));
}

template <int HeadDim>
__device__ __forceinline__ void load_keys(KeyFragment<HeadDim>& k, const Bf16Bits* keys, int first,
                                          int last, Lane lane) {
  const Bf16Bits* low =
      keys + static_cast<std::int64_t>(min(first + lane.g, last)) * HeadDim + lane.t * 8;
  const Bf16Bits* high =
      keys + static_cast<std::int64_t>(min(first + lane.g + 8, last)) * HeadDim + lane.t * 8;
#pragma unroll
  for (int j = 0; j < HeadDim / 32; ++j) {
    k.low[j] = load_vector(low + j * 32);
    k.high[j] = load_vector(high + j * 32);
  }
}

template <int HeadDim>
__device__ __forceinline__ void load_values(ValueFragment<HeadDim>& v, const Bf16Bits* values,
                                            int first, int last, Lane lane) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int key = first + 2 * lane.t + (i & 1) + (i & 2) * 4;
    const Bf16Bits* row = values + static_cast<std::int64_t>(min(key, last)) * HeadDim + lane.g * 8;
#pragma unroll
    for (int h = 0; h < HeadDim / 64; ++h) v.vector[i][h] = load_vector(row + h * 64);
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

/// Scores of keys g and g + 8 against heads 2t and 2t + 1, in C's order.
template <int HeadDim>
__device__ __forceinline__ void score(float (&s)[4], const KeyFragment<HeadDim>& k,
                                      const uint4 (&q)[HeadDim / 32]) {
#pragma unroll
  for (int j = 0; j < HeadDim / 32; ++j) {
    mma_16x8x16(s, k.low[j].x, k.high[j].x, k.low[j].y, k.high[j].y, q[j].x, q[j].y);
    mma_16x8x16(s, k.low[j].z, k.high[j].z, k.low[j].w, k.high[j].w, q[j].z, q[j].w);
  }
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
                                       const ValueFragment<HeadDim>& v) {
  constexpr int kRowShift = HeadDim / 16;  // row g + 8 of a fragment is this many elements further
  const std::uint32_t b0 = transpose_8x8(bf16_pack(weights[0], weights[1]));
  const std::uint32_t b1 = transpose_8x8(bf16_pack(weights[2], weights[3]));
#pragma unroll
  for (int e = 0; e < kRowShift; ++e) {
    mma_16x8x16(state.out[e], pair_of<HeadDim>(v, 0, e), pair_of<HeadDim>(v, 0, e + kRowShift),
                pair_of<HeadDim>(v, 2, e), pair_of<HeadDim>(v, 2, e + kRowShift), b0, b1);
  }
}

/// Rotates the group's queries into shared memory; the last part's CTA also appends the new key and
/// value.
template <int HeadDim, int Group>
__device__ void rotate_and_append(const DecodeAttention& p, SharedState<HeadDim, Group>& shared,
                                  Bf16Bits* keys, Bf16Bits* values, int position, bool appends) {
  constexpr int kHalf = HeadDim / 2;
  const int kv_head = static_cast<int>(blockIdx.y);
  const Bf16Bits* row =
      p.qkv + static_cast<std::int64_t>(blockIdx.z) * (p.heads + 2 * p.kv_heads) * HeadDim;
  const auto* rope =
      reinterpret_cast<const float2*>(p.rope) + static_cast<std::int64_t>(position) * kHalf;
  for (int i = static_cast<int>(threadIdx.x); i < Group * kHalf; i += kThreads) {
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
  for (int d = static_cast<int>(threadIdx.x); d < kHalf; d += kThreads) {
    const float low = bf16_load(key + d);
    const float high = bf16_load(key + d + kHalf);
    const float2 turn = rope[d];
    keys[at + d] = bf16_bits(low * turn.x - high * turn.y);
    keys[at + d + kHalf] = bf16_bits(high * turn.x + low * turn.y);
  }
  for (int d = static_cast<int>(threadIdx.x); d < HeadDim; d += kThreads) values[at + d] = value[d];
}

/// A warp's tiles: every kWarps-th one of [tile, tile_end), the first of which is in `now` already.
/// The next loads are issued as soon as their registers are free, so that memory is never waited
/// for alone.
template <int HeadDim>
__device__ void attend_tiles(WarpState<HeadDim>& state, TileFragments<HeadDim>& now,
                             const uint4 (&query)[HeadDim / 32], const Bf16Bits* keys,
                             const Bf16Bits* values, int tile, int tile_end, int last,
                             float scale_log2, Lane lane) {
  KeyFragment<HeadDim>& k = now.k;
  ValueFragment<HeadDim>& v = now.v;
  while (true) {
    const int next = tile + kWarps;
    float s[4] = {0.0F, 0.0F, 0.0F, 0.0F};
    score<HeadDim>(s, k, query);
    if (next < tile_end) load_keys(k, keys, next * kTile, last, lane);
    soften<HeadDim>(s, state, tile * kTile, last, scale_log2, lane);
    gather<HeadDim>(state, s, v);
    if (next >= tile_end) return;
    load_values(v, values, next * kTile, last, lane);
    tile = next;
  }
}

template <int HeadDim, int Group>
__device__ void store_warp(SharedState<HeadDim, Group>& shared, WarpState<HeadDim>& state, int warp,
                           Lane lane) {
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
    for (int e = 0; e < HeadDim / 8; ++e) {
      const int dim = (e / 8) * 64 + lane.g * 8 + e % 8;
      const int row = e / (HeadDim / 16);
      shared.out[warp][head][dim] = state.out[e % (HeadDim / 16)][2 * row + column];
    }
  }
}

/// Adds the warps up in order and writes the part, or the normalised result if there is one part
/// only.
template <int HeadDim, int Group>
__device__ void store_part(const DecodeAttention& p, const SharedState<HeadDim, Group>& shared) {
  const int split = static_cast<int>(blockIdx.x);
  const std::int64_t first_head = static_cast<std::int64_t>(blockIdx.z) * p.heads +
                                  static_cast<std::int64_t>(blockIdx.y) * Group;
  for (int i = static_cast<int>(threadIdx.x); i < Group * HeadDim; i += kThreads) {
    const int head = i / HeadDim;
    const int d = i % HeadDim;
    float top = -INFINITY;
    for (int warp = 0; warp < kWarps; ++warp) top = fmaxf(top, shared.top[warp][head]);
    float sum = 0.0F;
    float out = 0.0F;
    for (int warp = 0; warp < kWarps; ++warp) {
      if (shared.top[warp][head] == -INFINITY)
        continue;  // a warp without tiles; -inf - -inf is NaN
      const float weight = exp2f(shared.top[warp][head] - top);
      sum += weight * shared.sum[warp][head];
      out += weight * shared.out[warp][head][d];
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

/// One element of the result: the parts in order. They are read from L2, where the other CTAs' are.
template <int HeadDim>
__device__ void combine_parts(const DecodeAttention& p, std::int64_t head, int d) {
  const auto* states = reinterpret_cast<const float2*>(p.partial_state) + head * p.splits;
  const float* parts = p.partial + head * p.splits * HeadDim + d;
  float top = -INFINITY;
  for (int split = 0; split < p.splits; ++split) top = fmaxf(top, __ldcg(&states[split]).x);
  float sum = 0.0F;
  float out = 0.0F;
#pragma unroll 4
  for (int split = 0; split < p.splits; ++split) {
    const float2 state = __ldcg(&states[split]);
    const float weight = exp2f(state.x - top);  // an empty part has -inf: weight 0
    sum += weight * state.y;
    out += weight * __ldcg(parts + static_cast<std::int64_t>(split) * HeadDim);
  }
  p.out[head * HeadDim + d] = bf16_bits(out / sum);
}

/// True in the CTA that is the last of its KV head and sequence to have stored its part; all parts
/// are visible to it then. It leaves the counter at zero for the next launch.
__device__ bool comes_last(const DecodeAttention& p, bool& shared_answer) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    std::uint32_t* counter =
        p.arrivals + static_cast<std::int64_t>(blockIdx.z) * p.kv_heads + blockIdx.y;
    shared_answer = atomicAdd(counter, 1U) + 1 == static_cast<unsigned>(p.splits);
    if (shared_answer) *counter = 0;
  }
  __syncthreads();
  __threadfence();
  return shared_answer;
}

template <int HeadDim, int Group>
__global__ void __launch_bounds__(kThreads) attention_decode_kernel(DecodeAttention p) {
  __shared__ SharedState<HeadDim, Group> shared;
  const int lane_id = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const Lane lane{lane_id / 4, lane_id % 4};
  const int split = static_cast<int>(blockIdx.x);
  const int position = p.positions[blockIdx.z];
  const std::int64_t head_at =
      (static_cast<std::int64_t>(blockIdx.z) * p.kv_heads + blockIdx.y) * p.capacity * HeadDim;
  Bf16Bits* keys = p.keys + head_at;
  Bf16Bits* values = p.values + head_at;
  // Every part gets tiles [n s / S, n (s + 1) / S); the last part is never empty and holds the
  // newest token.
  const int tiles = position / kTile + 1;
  const int tile_begin = static_cast<int>(static_cast<std::int64_t>(tiles) * split / p.splits);
  const int tile_end = static_cast<int>(static_cast<std::int64_t>(tiles) * (split + 1) / p.splits);
  const int first = tile_begin + warp;
  // Tiles of earlier tokens only do not depend on the kernel in front of this one; the tile of the
  // newest token is read back from the cache.
  const bool early = first < tile_end && first + 1 < tiles;
  TileFragments<HeadDim> now;
  if (early) {
    load_keys(now.k, keys, first * kTile, position, lane);
    load_values(now.v, values, first * kTile, position, lane);
  }
  wait_for_previous();
  rotate_and_append<HeadDim, Group>(p, shared, keys, values, position, split == p.splits - 1);
  __syncthreads();  // also makes the appended token visible to this CTA; no other one reads it
  uint4 query[HeadDim / 32];
#pragma unroll
  for (int j = 0; j < HeadDim / 32; ++j) {
    query[j] = make_uint4(0, 0, 0, 0);
    if (lane.g < Group) {
      query[j] = *reinterpret_cast<const uint4*>(&shared.query[lane.g][j * 32 + lane.t * 8]);
    }
  }
  if (!early && first < tile_end) {
    load_keys(now.k, keys, first * kTile, position, lane);
    load_values(now.v, values, first * kTile, position, lane);
  }
  WarpState<HeadDim> state;
  if (first < tile_end) {
    attend_tiles<HeadDim>(state, now, query, keys, values, first, tile_end, position,
                          kLog2E * rsqrtf(static_cast<float>(HeadDim)), lane);
  }
  const std::int64_t cta =
      (static_cast<std::int64_t>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  prefetch_share(p.prefetch, cta, static_cast<std::int64_t>(gridDim.x) * gridDim.y * gridDim.z);
  store_warp<HeadDim, Group>(shared, state, warp, lane);
  __syncthreads();
  store_part<HeadDim, Group>(p, shared);
  if (p.splits == 1 || p.arrivals == nullptr || !comes_last(p, shared.is_last)) return;
  const std::int64_t first_head = static_cast<std::int64_t>(blockIdx.z) * p.heads +
                                  static_cast<std::int64_t>(blockIdx.y) * Group;
  for (int i = static_cast<int>(threadIdx.x); i < Group * HeadDim; i += kThreads) {
    combine_parts<HeadDim>(p, first_head + i / HeadDim, i % HeadDim);
  }
}

/// One CTA per head and sequence, a thread per dim.
template <int HeadDim>
__global__ void __launch_bounds__(HeadDim) attention_combine_kernel(DecodeAttention p) {
  wait_for_previous();
  combine_parts<HeadDim>(p, static_cast<std::int64_t>(blockIdx.y) * p.heads + blockIdx.x,
                         static_cast<int>(threadIdx.x));
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

}  // namespace

cudaError_t decode_attention(const LaunchContext& context, const DecodeAttention& arguments) {
  const Kernel kernel = kernel_for(arguments.head_dim, arguments.heads / arguments.kv_heads);
  if (kernel == nullptr) return cudaErrorInvalidValue;
  const auto batch = static_cast<unsigned>(arguments.batch);
  const dim3 grid(static_cast<unsigned>(arguments.splits),
                  static_cast<unsigned>(arguments.kv_heads), batch);
  const cudaError_t error = launch(context, grid, kThreads, kernel, arguments);
  if (error != cudaSuccess || arguments.splits == 1 || arguments.arrivals != nullptr) return error;
  const dim3 heads(static_cast<unsigned>(arguments.heads), batch);
  const Kernel combine =
      arguments.head_dim == 64 ? attention_combine_kernel<64> : attention_combine_kernel<128>;
  return launch(context, heads, static_cast<unsigned>(arguments.head_dim), combine, arguments);
}

cudaError_t decode_attention_occupancy(int heads, int kv_heads, int head_dim, int* blocks) {
  const Kernel kernel = kernel_for(head_dim, heads / kv_heads);
  if (kernel == nullptr) return cudaErrorInvalidValue;
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, kThreads, 0);
}

}  // namespace perfgate::builtin
