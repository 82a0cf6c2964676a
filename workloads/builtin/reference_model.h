/// The whole transformer in double precision on the CPU, with the weights of the GPU's model.
///
/// It rounds to BF16 exactly where the GPU stores BF16 (normed input, q, k, v, rotated q and k,
/// attention output, each product but the logits, the residual stream), so that what is left
/// between the two is the order of FP32 sums, BF16 softmax weights and the roundings these two
/// flip. Meant for small shapes: time and memory grow with the parameters.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "workloads/builtin/model_shape.h"
#include "workloads/builtin/reference_ops.h"

namespace perfgate::builtin {

struct ReferenceLayer {
  std::vector<float> qkv, output, gate_up, down, attention_norm, ffn_norm;
};

struct ReferenceWeights {
  ModelShape shape;
  std::uint32_t seed = 0;
  std::vector<float> embedding, lm_head, final_norm;
  std::vector<ReferenceLayer> layers;
};
[[nodiscard]] ReferenceWeights reference_weights(const ModelShape& shape, std::uint32_t seed);

/// Keys and values of one sequence: per layer and KV head, [tokens, head_dim], keys rotated.
struct ReferenceCache {
  std::vector<std::vector<Doubles>> keys;    ///< [layer][kv_head]
  std::vector<std::vector<Doubles>> values;  ///< [layer][kv_head]
};
[[nodiscard]] ReferenceCache empty_cache(const ModelShape& shape);

/// The seeded cache that a decode starts from: `context` tokens of sequence `sequence`. The hash
/// index runs over [batch, kv_head, capacity, head_dim], as the GPU's cache does.
[[nodiscard]] ReferenceCache seeded_cache(const ReferenceWeights& weights, std::int64_t sequence,
                                          std::int64_t context, std::int64_t capacity);

/// Token number `index` of the seeded prompt or first tokens.
[[nodiscard]] std::int32_t seeded_token(const ModelShape& shape, std::uint32_t seed,
                                        std::uint64_t index);

struct ReferenceOutput {
  Doubles hidden;  ///< after the final norm
  Doubles logits;
};

/// One token at position = tokens in the cache; appends to it.
[[nodiscard]] ReferenceOutput reference_decode(const ReferenceWeights& weights,
                                               ReferenceCache& cache, std::int32_t token);

/// All tokens of a prompt, layer by layer, from an empty cache; the output of the last position.
[[nodiscard]] ReferenceOutput reference_prefill(const ReferenceWeights& weights,
                                                ReferenceCache& cache,
                                                std::span<const std::int32_t> tokens);

}  // namespace perfgate::builtin
