/// The tensor-core instructions of the real mma.cuh, carried out lane by lane from the fragment
/// layouts of the PTX ISA.
#pragma once

#include <array>

#include "workloads/builtin/bf16.h"
#include "workloads/builtin/device/launch.cuh"

namespace perfgate::builtin {

inline float half_of(std::uint32_t word, unsigned which) {
  return bf16_to_float(static_cast<Bf16Bits>(word >> (16U * which)));
}

inline void mma_16x8x16(float (&c)[4], std::uint32_t a0, std::uint32_t a1, std::uint32_t a2,
                        std::uint32_t a3, std::uint32_t b0, std::uint32_t b1) {
  const auto all = exchange(std::array<std::uint32_t, 6>{a0, a1, a2, a3, b0, b1});
  float a[16][16];
  float b[16][8];
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned g = lane / 4;
    const unsigned t = lane % 4;
    for (unsigned half = 0; half < 2; ++half) {
      a[g][2 * t + half] = half_of(all[lane][0], half);
      a[g + 8][2 * t + half] = half_of(all[lane][1], half);
      a[g][2 * t + 8 + half] = half_of(all[lane][2], half);
      a[g + 8][2 * t + 8 + half] = half_of(all[lane][3], half);
      b[2 * t + half][g] = half_of(all[lane][4], half);
      b[2 * t + 8 + half][g] = half_of(all[lane][5], half);
    }
  }
  const unsigned g = threadIdx.x % 32 / 4;
  const unsigned t = threadIdx.x % 4;
  for (unsigned i = 0; i < 4; ++i) {
    for (unsigned k = 0; k < 16; ++k) c[i] += a[g + 8 * (i / 2)][k] * b[k][2 * t + i % 2];
  }
}

inline std::uint32_t transpose_8x8(std::uint32_t word) {
  const auto all = exchange(word);
  const unsigned row = threadIdx.x % 32 / 4;
  const unsigned column = 2 * (threadIdx.x % 4);
  std::uint32_t result = 0;
  for (unsigned half = 0; half < 2;
       ++half) {  // element (row, column + half) of the result is (column + half, row)
    const std::uint32_t from = all[(column + half) * 4 + row / 2];
    result |= ((from >> (16U * (row % 2))) & 0xffffU) << (16U * half);
  }
  return result;
}

inline void load_transposed(std::uint32_t (&r)[4], const std::uint16_t* row) {
  const auto rows = exchange(row);
  const unsigned g = threadIdx.x % 32 / 4;
  const unsigned t = threadIdx.x % 4;
  for (unsigned matrix = 0; matrix < 4; ++matrix) {
    // Transposed: this lane gets elements (2t, g) and (2t + 1, g) of the stored matrix.
    const std::uint32_t low = rows[8 * matrix + 2 * t][g];
    const std::uint32_t high = rows[8 * matrix + 2 * t + 1][g];
    r[matrix] = low | (high << 16U);
  }
}

}  // namespace perfgate::builtin
