/// The BF16 words of the real pack.cuh, on the host.
#pragma once

#include "workloads/builtin/bf16.h"
#include "workloads/builtin/device/launch.cuh"

namespace perfgate::builtin {

inline float bf16_low(std::uint32_t word) { return bf16_to_float(static_cast<Bf16Bits>(word)); }
inline float bf16_high(std::uint32_t word) {
  return bf16_to_float(static_cast<Bf16Bits>(word >> 16U));
}
inline std::uint32_t bf16_pack(float low, float high) {
  return bf16_from_float(low) | (static_cast<std::uint32_t>(bf16_from_float(high)) << 16U);
}
inline float bf16_load(const std::uint16_t* from) { return bf16_to_float(*from); }
inline std::uint16_t bf16_bits(float value) { return bf16_from_float(value); }

struct Eight {
  float value[8];
};
inline Eight unpack(const uint4& words) {
  return {{bf16_low(words.x), bf16_high(words.x), bf16_low(words.y), bf16_high(words.y),
           bf16_low(words.z), bf16_high(words.z), bf16_low(words.w), bf16_high(words.w)}};
}
inline uint4 pack(const Eight& e) {
  return {bf16_pack(e.value[0], e.value[1]), bf16_pack(e.value[2], e.value[3]),
          bf16_pack(e.value[4], e.value[5]), bf16_pack(e.value[6], e.value[7])};
}

}  // namespace perfgate::builtin
