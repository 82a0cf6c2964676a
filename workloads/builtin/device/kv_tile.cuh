/// A tile of 16 keys and their values in shared memory.
///
/// Its chunks lie as swizzle.cuh says. Then eight lanes that read at once touch each of the 32
/// banks once, in all three patterns: a row's chunks in order (the copy), chunks 2t of two
/// neighbouring rows (keys), chunks g of the rows 2t for two neighbouring g (values).
#pragma once

#include "workloads/builtin/device/async_copy.cuh"
#include "workloads/builtin/device/kernels.h"
#include "workloads/builtin/device/swizzle.cuh"

namespace perfgate::builtin {

constexpr int kTileKeys = 16;

template <int HeadDim>
struct KvTile {
  static constexpr int kChunks = HeadDim / kChunkElements;
  uint4 k[kTileKeys][kChunks];
  uint4 v[kTileKeys][kChunks];
};

/// Where one sequence's keys and values of one KV head are: rows 0 .. cached - 1.
struct KvRows {
  const Bf16Bits* keys;
  const Bf16Bits* values;
  int cached;
};

/// A warp asks for rows first .. first + 15; rows that are not cached become zero.
template <int HeadDim>
__device__ __forceinline__ void copy_tile(KvTile<HeadDim>& tile, const KvRows& from, int first,
                                          int lane) {
  constexpr int kChunks = KvTile<HeadDim>::kChunks;
  constexpr int kRowsAtOnce = 32 / kChunks;
  const int chunk = lane % kChunks;
#pragma unroll
  for (int i = 0; i < kTileKeys / kRowsAtOnce; ++i) {
    const int row = i * kRowsAtOnce + lane / kChunks;
    const bool present = first + row < from.cached;
    const std::int64_t at =
        static_cast<std::int64_t>(present ? first + row : 0) * HeadDim + chunk * kChunkElements;
    copy_16_async(&tile.k[row][place_of(row, chunk)], from.keys + at, present);
    copy_16_async(&tile.v[row][place_of(row, chunk)], from.values + at, present);
  }
}

/// A warp writes one row that is not in the cache yet; newest = key, then value.
template <int HeadDim>
__device__ __forceinline__ void write_row(KvTile<HeadDim>& tile, int row,
                                          const Bf16Bits (&newest)[2][HeadDim], int lane) {
  constexpr int kChunks = KvTile<HeadDim>::kChunks;
  if (lane >= 2 * kChunks) return;
  const int chunk = lane % kChunks;
  const uint4 words =
      *reinterpret_cast<const uint4*>(&newest[lane / kChunks][chunk * kChunkElements]);
  auto& rows = lane < kChunks ? tile.k : tile.v;
  rows[row][place_of(row, chunk)] = words;
}

}  // namespace perfgate::builtin
