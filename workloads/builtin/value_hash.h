/// Seeded values for weights, caches and prompts: a counter-based hash, so that any element can be
/// made alone, on the GPU and on the CPU, with the same bits.
///
/// An element is uniform in [-1, 1) x amplitude: a 24-bit integer times a float, so that both sides
/// round alike. The mixing steps are the finaliser "lowbias32" (C. Wellons, hash prospector, public
/// domain).
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define PERFGATE_HOST_DEVICE __host__ __device__
#else
#define PERFGATE_HOST_DEVICE
#endif

namespace perfgate::builtin {

[[nodiscard]] PERFGATE_HOST_DEVICE constexpr std::uint32_t mix_bits(std::uint32_t x) {
  x ^= x >> 16U;
  x *= 0x7feb352dU;
  x ^= x >> 15U;
  x *= 0x846ca68bU;
  x ^= x >> 16U;
  return x;
}

/// The stream of one tensor: its seed and its number (tensor_id below) give the key.
[[nodiscard]] PERFGATE_HOST_DEVICE constexpr std::uint32_t hash_key(std::uint32_t seed,
                                                                    std::uint32_t tensor) {
  return mix_bits(mix_bits(seed + 0x9e3779b9U) ^ (tensor * 0x85ebca6bU + 0xc2b2ae35U));
}

[[nodiscard]] PERFGATE_HOST_DEVICE constexpr std::uint32_t hash_element(std::uint32_t key,
                                                                        std::uint64_t index) {
  const auto low = static_cast<std::uint32_t>(index);
  const auto high = static_cast<std::uint32_t>(index >> 32U);
  return mix_bits((low * 0x9e3779b9U) ^ key ^ (high * 0x27d4eb2fU));
}

/// `offset` + uniform [-1, 1) x `amplitude`.
[[nodiscard]] PERFGATE_HOST_DEVICE inline float hash_value(std::uint32_t key, std::uint64_t index,
                                                           float amplitude, float offset) {
  const std::uint32_t bits = hash_element(key, index) >> 8U;             // 24 bits
  const auto centred = static_cast<std::int32_t>(bits) - (1 << 23);      // [-2^23, 2^23)
  const float unit = static_cast<float>(centred) * (1.0F / 8388608.0F);  // exact
#if defined(__CUDA_ARCH__)
  return __fadd_rn(offset,
                   __fmul_rn(unit, amplitude));  // no fused multiply-add: the CPU has none here
#else
  return offset + unit * amplitude;
#endif
}

/// Numbers of the tensors of a model; a layer's tensors are `layer_tensor(layer, which)`.
enum class LayerTensor : std::uint32_t {
  qkv,
  output,
  gate_up,
  down,
  attention_norm,
  ffn_norm,
  key_cache,
  value_cache
};
inline constexpr std::uint32_t kEmbeddingTensor = 1;
inline constexpr std::uint32_t kLmHeadTensor = 2;
inline constexpr std::uint32_t kFinalNormTensor = 3;
inline constexpr std::uint32_t kPromptTensor = 4;
inline constexpr std::uint32_t kOperandTensor = 5;

[[nodiscard]] PERFGATE_HOST_DEVICE constexpr std::uint32_t layer_tensor(int layer,
                                                                        LayerTensor which) {
  return 16U + 8U * static_cast<std::uint32_t>(layer) + static_cast<std::uint32_t>(which);
}

/// One step of the running hash over output tokens.
[[nodiscard]] PERFGATE_HOST_DEVICE constexpr std::uint64_t fold_token(std::uint64_t hash,
                                                                      std::uint32_t token) {
  hash ^= static_cast<std::uint64_t>(token) + 0x9e3779b97f4a7c15ULL;
  hash *= 0xbf58476d1ce4e5b9ULL;
  hash ^= hash >> 29U;
  return hash;
}

}  // namespace perfgate::builtin
