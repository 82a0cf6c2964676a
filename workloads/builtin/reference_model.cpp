#include "workloads/builtin/reference_model.h"

#include <cassert>

#include "workloads/builtin/bf16.h"
#include "workloads/builtin/value_hash.h"

namespace perfgate::builtin {
namespace {

std::vector<float> hashed(std::uint32_t key, std::int64_t count, float amplitude,
                          float offset = 0.0F) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = bf16_to_float(bf16_from_float(hash_value(key, i, amplitude, offset)));
  }
  return values;
}

void round_all(std::span<double> values) {
  for (double& value : values) value = round_to_bf16(value);
}

Doubles rounded(Doubles values) {
  round_all(values);
  return values;
}

void add_rounded(Doubles& residual, const Doubles& update) {
  for (std::size_t i = 0; i < residual.size(); ++i)
    residual[i] = round_to_bf16(residual[i] + update[i]);
}

Doubles embed(const ReferenceWeights& weights, std::int32_t token) {
  const auto hidden = static_cast<std::size_t>(weights.shape.hidden);
  const auto row =
      std::span(weights.embedding).subspan(static_cast<std::size_t>(token) * hidden, hidden);
  return {row.begin(), row.end()};
}

/// Norm, QKV, rotation and append of one token; returns the rotated query heads.
Doubles query_and_append(const ReferenceWeights& weights, const ReferenceLayer& layer,
                         std::size_t index, const Doubles& residual, ReferenceCache& cache) {
  const ModelShape& shape = weights.shape;
  const auto width = static_cast<std::size_t>(shape.head_dim);
  const Doubles normed =
      rounded(rms_norm(residual, layer.attention_norm, static_cast<double>(shape.norm_epsilon)));
  Doubles qkv = rounded(project(layer.qkv, normed));
  const auto position = static_cast<std::int64_t>(cache.keys[index][0].size() / width);
  const auto rotated_heads = static_cast<std::size_t>(shape.heads + shape.kv_heads);
  for (std::size_t head = 0; head < rotated_heads; ++head) {
    const auto part = std::span(qkv).subspan(head * width, width);
    rotate(part, position, shape.rope_theta);
    round_all(part);
  }
  for (std::size_t head = 0; head < static_cast<std::size_t>(shape.kv_heads); ++head) {
    const auto key =
        std::span(qkv).subspan((static_cast<std::size_t>(shape.heads) + head) * width, width);
    const auto value = std::span(qkv).subspan((rotated_heads + head) * width, width);
    cache.keys[index][head].insert(cache.keys[index][head].end(), key.begin(), key.end());
    cache.values[index][head].insert(cache.values[index][head].end(), value.begin(), value.end());
  }
  qkv.resize(static_cast<std::size_t>(shape.query_width()));
  return qkv;
}

/// Attention of one token over the first `visible` tokens of the cache, then the rest of the layer.
void finish_layer(const ReferenceWeights& weights, std::size_t index, const Doubles& query,
                  std::size_t visible, const ReferenceCache& cache, Doubles& residual) {
  const ModelShape& shape = weights.shape;
  const ReferenceLayer& layer = weights.layers[index];
  const auto width = static_cast<std::size_t>(shape.head_dim);
  Doubles attention;
  for (std::size_t head = 0; head < static_cast<std::size_t>(shape.heads); ++head) {
    const std::size_t kv_head = head / static_cast<std::size_t>(shape.group());
    const Doubles part = attend(std::span(query).subspan(head * width, width),
                                std::span(cache.keys[index][kv_head]).first(visible * width),
                                std::span(cache.values[index][kv_head]).first(visible * width));
    attention.insert(attention.end(), part.begin(), part.end());
  }
  add_rounded(residual, rounded(project(layer.output, rounded(std::move(attention)))));
  const Doubles normed =
      rounded(rms_norm(residual, layer.ffn_norm, static_cast<double>(shape.norm_epsilon)));
  const Doubles gated = rounded(gated_silu(rounded(project(layer.gate_up, normed))));
  add_rounded(residual, rounded(project(layer.down, gated)));
}

ReferenceOutput output_of(const ReferenceWeights& weights, const Doubles& residual) {
  ReferenceOutput output;
  output.hidden = rounded(
      rms_norm(residual, weights.final_norm, static_cast<double>(weights.shape.norm_epsilon)));
  output.logits = project(weights.lm_head, output.hidden);
  return output;
}

}  // namespace

ReferenceWeights reference_weights(const ModelShape& shape, std::uint32_t seed) {
  const WeightAmplitudes amplitude = weight_amplitudes(shape);
  const auto tensor = [&](std::uint32_t id, std::int64_t count, float size, float offset = 0.0F) {
    return hashed(hash_key(seed, id), count, size, offset);
  };
  ReferenceWeights weights;
  weights.shape = shape;
  weights.seed = seed;
  weights.embedding = tensor(kEmbeddingTensor, shape.vocab * shape.hidden, amplitude.embedding);
  weights.lm_head = tensor(kLmHeadTensor, shape.vocab * shape.hidden, amplitude.lm_head);
  weights.final_norm = tensor(kFinalNormTensor, shape.hidden, amplitude.norm_spread, 1.0F);
  for (int i = 0; i < static_cast<int>(shape.layers); ++i) {
    const auto id = [&](LayerTensor which) { return layer_tensor(i, which); };
    ReferenceLayer layer;
    layer.qkv = tensor(id(LayerTensor::qkv), shape.qkv_width() * shape.hidden, amplitude.qkv);
    layer.output =
        tensor(id(LayerTensor::output), shape.hidden * shape.query_width(), amplitude.output);
    layer.gate_up =
        tensor(id(LayerTensor::gate_up), 2 * shape.ffn * shape.hidden, amplitude.gate_up);
    layer.down = tensor(id(LayerTensor::down), shape.hidden * shape.ffn, amplitude.down);
    layer.attention_norm =
        tensor(id(LayerTensor::attention_norm), shape.hidden, amplitude.norm_spread, 1.0F);
    layer.ffn_norm = tensor(id(LayerTensor::ffn_norm), shape.hidden, amplitude.norm_spread, 1.0F);
    weights.layers.push_back(std::move(layer));
  }
  return weights;
}

ReferenceCache empty_cache(const ModelShape& shape) {
  const std::vector<Doubles> heads(static_cast<std::size_t>(shape.kv_heads));
  const std::vector<std::vector<Doubles>> layers(static_cast<std::size_t>(shape.layers), heads);
  return {layers, layers};
}

ReferenceCache seeded_cache(const ReferenceWeights& weights, std::int64_t sequence,
                            std::int64_t context, std::int64_t capacity) {
  const ModelShape& shape = weights.shape;
  const float amplitude = weight_amplitudes(shape).cache;
  ReferenceCache cache = empty_cache(shape);
  for (int layer = 0; layer < static_cast<int>(shape.layers); ++layer) {
    const std::uint32_t key_stream =
        hash_key(weights.seed, layer_tensor(layer, LayerTensor::key_cache));
    const std::uint32_t value_stream =
        hash_key(weights.seed, layer_tensor(layer, LayerTensor::value_cache));
    for (std::int64_t head = 0; head < shape.kv_heads; ++head) {
      const std::int64_t first = (sequence * shape.kv_heads + head) * capacity * shape.head_dim;
      auto& keys = cache.keys[static_cast<std::size_t>(layer)][static_cast<std::size_t>(head)];
      auto& values = cache.values[static_cast<std::size_t>(layer)][static_cast<std::size_t>(head)];
      for (std::int64_t i = 0; i < context * shape.head_dim; ++i) {
        const auto at = static_cast<std::uint64_t>(first + i);
        keys.push_back(
            round_to_bf16(static_cast<double>(hash_value(key_stream, at, amplitude, 0.0F))));
        values.push_back(
            round_to_bf16(static_cast<double>(hash_value(value_stream, at, amplitude, 0.0F))));
      }
    }
  }
  return cache;
}

std::int32_t seeded_token(const ModelShape& shape, std::uint32_t seed, std::uint64_t index) {
  const std::uint32_t bits = hash_element(hash_key(seed, kPromptTensor), index);
  return static_cast<std::int32_t>(bits % static_cast<std::uint32_t>(shape.vocab));
}

ReferenceOutput reference_decode(const ReferenceWeights& weights, ReferenceCache& cache,
                                 std::int32_t token) {
  Doubles residual = embed(weights, token);
  for (std::size_t index = 0; index < weights.layers.size(); ++index) {
    const Doubles query = query_and_append(weights, weights.layers[index], index, residual, cache);
    const std::size_t visible =
        cache.keys[index][0].size() / static_cast<std::size_t>(weights.shape.head_dim);
    finish_layer(weights, index, query, visible, cache, residual);
  }
  return output_of(weights, residual);
}

ReferenceOutput reference_prefill(const ReferenceWeights& weights, ReferenceCache& cache,
                                  std::span<const std::int32_t> tokens) {
  assert(!tokens.empty() && cache.keys[0][0].empty());
  std::vector<Doubles> residuals;
  residuals.reserve(tokens.size());
  for (const std::int32_t token : tokens) residuals.push_back(embed(weights, token));
  for (std::size_t index = 0; index < weights.layers.size(); ++index) {
    std::vector<Doubles> queries;
    queries.reserve(tokens.size());
    for (const Doubles& residual : residuals) {
      queries.push_back(query_and_append(weights, weights.layers[index], index, residual, cache));
    }
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      finish_layer(weights, index, queries[i], i + 1, cache,
                   residuals[i]);  // causal: tokens 0 .. i
    }
  }
  return output_of(weights, residuals.back());
}

}  // namespace perfgate::builtin
