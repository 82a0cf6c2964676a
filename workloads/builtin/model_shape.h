/// Shapes of the built-in transformer, what a step must read and compute, and its matrix products.
///
/// Llama-style: RMSNorm, rotary embedding (halves rotated), grouped-query attention, SiLU-gated
/// feed-forward, no biases. Weights are row-major [out_features, in_features]; gate and up are one
/// matrix of 2 x ffn rows (gate first), q, k and v one of (heads + 2 x kv_heads) x head_dim rows.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "runner/model/result.h"

namespace perfgate::builtin {

struct ModelShape {
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t ffn = 0;
  std::int64_t vocab = 0;
  double rope_theta = 500000.0;  ///< Llama 3
  float norm_epsilon = 1e-5F;

  [[nodiscard]] std::int64_t query_width() const { return heads * head_dim; }
  [[nodiscard]] std::int64_t kv_width() const { return kv_heads * head_dim; }
  [[nodiscard]] std::int64_t qkv_width() const { return query_width() + 2 * kv_width(); }
  [[nodiscard]] std::int64_t group() const { return heads / kv_heads; }
};

/// "llama3_8b" or "tiny"; `usage` for another word.
[[nodiscard]] Result<ModelShape> preset_shape(std::string_view name);

/// Amplitudes of the uniform weights (standard deviation x sqrt 3): 1 / sqrt(fan_in), and less by
/// 1 / sqrt(2 x layers) where the result is added to the residual stream, so that it keeps its
/// size.
struct WeightAmplitudes {
  float embedding = 0.0F;
  float qkv = 0.0F;
  float output = 0.0F;
  float gate_up = 0.0F;
  float down = 0.0F;
  float lm_head = 0.0F;
  float norm_spread = 0.1F;  ///< norm weights are 1 + uniform x this
  float cache = 1.7320508F;  ///< unit deviation
};
[[nodiscard]] WeightAmplitudes weight_amplitudes(const ModelShape& shape);

/// Bytes of all weights that a step reads once: layers, norms, LM head, and `gathered_rows` of the
/// embedding.
[[nodiscard]] double weight_bytes(const ModelShape& shape, std::int64_t gathered_rows);
/// 2 x layers x kv_heads x head_dim x 2 bytes x context x batch.
[[nodiscard]] double kv_cache_bytes(const ModelShape& shape, std::int64_t batch,
                                    std::int64_t context);
/// Multiply and add counted as two; `context` keys per query.
[[nodiscard]] double decode_flops(const ModelShape& shape, std::int64_t batch,
                                  std::int64_t context);
/// Causal attention counted as the lower triangle; LM head on the last position only.
[[nodiscard]] double prefill_flops(const ModelShape& shape, std::int64_t batch,
                                   std::int64_t tokens);

/// The products of a step with `rows` rows through the layers and `head_rows` through the LM head.
struct ProductShape {
  std::int64_t out_features = 0;
  std::int64_t rows = 0;
  std::int64_t in_features = 0;
  bool float_output = false;  ///< the logits stay FP32, so that argmax sees no rounding ties
};
[[nodiscard]] std::vector<ProductShape> model_products(const ModelShape& shape, std::int64_t rows,
                                                       std::int64_t head_rows);

}  // namespace perfgate::builtin
