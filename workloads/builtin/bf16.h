/// BF16 (1 sign, 8 exponent, 7 stored fraction bits) as plain 16-bit words, for the CPU side.
///
/// Rounding is to nearest, ties to even, as the GPU's cvt.rn.bf16.f32 does; NaN stays NaN.
#pragma once

#include <bit>
#include <cstdint>

namespace perfgate::builtin {

using Bf16Bits = std::uint16_t;

[[nodiscard]] constexpr float bf16_to_float(Bf16Bits bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

[[nodiscard]] constexpr Bf16Bits bf16_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return static_cast<Bf16Bits>((bits >> 16U) | 0x40U);
  const std::uint32_t rounding = 0x7fffU + ((bits >> 16U) & 1U);
  return static_cast<Bf16Bits>((bits + rounding) >> 16U);
}

/// The nearest BF16 value, as a double: what a stored activation becomes.
[[nodiscard]] constexpr double round_to_bf16(double value) {
  return static_cast<double>(bf16_to_float(bf16_from_float(static_cast<float>(value))));
}

}  // namespace perfgate::builtin
