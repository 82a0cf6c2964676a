/// BF16 words in registers: eight elements are one 16-byte vector.
#pragma once

#include <cstdint>

#include <cuda_bf16.h>

namespace perfgate::builtin {

__device__ __forceinline__ float bf16_low(std::uint32_t word) {
  return __uint_as_float(word << 16);
}
__device__ __forceinline__ float bf16_high(std::uint32_t word) {
  return __uint_as_float(word & 0xffff0000U);
}

/// Two floats, rounded to nearest even; `low` goes to the lower half.
__device__ __forceinline__ std::uint32_t bf16_pack(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}

__device__ __forceinline__ float bf16_load(const std::uint16_t* from) {
  return __uint_as_float(static_cast<std::uint32_t>(*from) << 16);
}
__device__ __forceinline__ std::uint16_t bf16_bits(float value) {
  return __bfloat16_as_ushort(__float2bfloat16_rn(value));
}

struct Eight {
  float value[8];
};

__device__ __forceinline__ Eight unpack(const uint4& words) {
  return {{bf16_low(words.x), bf16_high(words.x), bf16_low(words.y), bf16_high(words.y),
           bf16_low(words.z), bf16_high(words.z), bf16_low(words.w), bf16_high(words.w)}};
}

__device__ __forceinline__ uint4 pack(const Eight& e) {
  return {bf16_pack(e.value[0], e.value[1]), bf16_pack(e.value[2], e.value[3]),
          bf16_pack(e.value[4], e.value[5]), bf16_pack(e.value[6], e.value[7])};
}

}  // namespace perfgate::builtin
