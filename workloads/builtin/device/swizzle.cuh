/// Where the 16-byte chunks of a row lie in shared memory.
///
/// A bank is 4 bytes wide and there are 32: chunk c of every row of 128 bytes, or a multiple, is in
/// the same four. Chunk c of row r therefore lies at chunk c ^ (r % 8): eight lanes that read or
/// write one chunk of eight neighbouring rows, or eight chunks of one row, touch each bank once.
#pragma once

namespace perfgate::builtin {

/// BF16 elements of a chunk.
constexpr int kChunkElements = 8;

__device__ __forceinline__ int place_of(int row, int chunk) { return chunk ^ (row % 8); }

}  // namespace perfgate::builtin
