/// Tensor-core instructions on registers, as the PTX ISA defines their fragments ("Matrix Fragments
/// for mma.m16n8k16", "movmatrix", "ldmatrix"). With g = lane / 4 and t = lane % 4:
/// - A (16 x 16): a0 = row g, columns 2t, 2t+1; a1 = row g+8; a2 = row g, columns 2t+8, 2t+9; a3 =
///   row g+8 of these
/// - B (16 x 8): b0 = rows 2t, 2t+1 of column g; b1 = rows 2t+8, 2t+9
/// - C (16 x 8): c0, c1 = row g, columns 2t, 2t+1; c2, c3 = row g+8
#pragma once

#include <cstdint>

namespace perfgate::builtin {

/// c += a x b, BF16 operands, FP32 sums.
__device__ __forceinline__ void mma_16x8x16(float (&c)[4], std::uint32_t a0, std::uint32_t a1,
                                            std::uint32_t a2, std::uint32_t a3, std::uint32_t b0,
                                            std::uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

/// Transposes an 8 x 8 matrix of 16-bit elements spread over the warp (row g, columns 2t, 2t+1).
__device__ __forceinline__ std::uint32_t transpose_8x8(std::uint32_t word) {
  std::uint32_t result;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(result) : "r"(word));
  return result;
}

/// Loads four 8 x 8 matrices from shared memory, transposed; lane i gives the address of row i % 8
/// of matrix i / 8.
__device__ __forceinline__ void load_transposed(std::uint32_t (&r)[4], const std::uint16_t* row) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

}  // namespace perfgate::builtin
