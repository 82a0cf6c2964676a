/// Seeded operands of a product, several sets if they should not stay in the L2 cache.
#pragma once

#include <cstdint>

#include "workloads/builtin/device/gemm.h"

namespace perfgate::builtin {

/// `sets` copies of A, B and D, each 256-byte aligned.
struct GemmOperands {
  std::size_t sets = 1;
  std::size_t a_stride = 0;
  std::size_t b_stride = 0;
  std::size_t d_stride = 0;
  DeviceBuffer a, b, d;

  [[nodiscard]] const void* a_of(std::size_t i) const {
    return a.as<char>() + (i % sets) * a_stride;
  }
  [[nodiscard]] const void* b_of(std::size_t i) const {
    return b.as<char>() + (i % sets) * b_stride;
  }
  [[nodiscard]] void* d_of(std::size_t i) const { return d.as<char>() + (i % sets) * d_stride; }
};

enum class CacheState : std::uint8_t { cold, warm };

/// Cold: as many sets as make any one of them leave the L2 before it is used again (the sets hold
/// at least four times its size); warm: one set.
[[nodiscard]] Result<GemmOperands> make_operands(const Gpu& gpu, const GemmShape& shape,
                                                 CacheState cache, std::uint32_t seed);

/// Bytes that one product must move at least: A, B and D once.
[[nodiscard]] double product_bytes(const GemmShape& shape);

}  // namespace perfgate::builtin
