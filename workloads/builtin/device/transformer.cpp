// The steps of a model: what is launched, in which order.
#include "workloads/builtin/device/transformer.h"

#include <algorithm>
#include <array>

#include "workloads/builtin/device/nvtx_range.h"
#include "workloads/builtin/reference_model.h"
#include "workloads/builtin/value_hash.h"

namespace perfgate::builtin {
namespace {

constexpr std::uint64_t kHashStart = 0x70657266'67617465ULL;
constexpr std::array<const char*, kProducts> kProductNames{"qkv", "output", "gate_up", "down",
                                                           "lm_head"};

template <typename T>
Result<std::vector<T>> download(const Gpu& gpu, const DeviceBuffer& buffer, std::size_t count,
                                const char* what) {
  PG_TRY(gpu.synchronize(what));
  std::vector<T> values(count);
  PG_TRY(cuda_status(
      cudaMemcpy(values.data(), buffer.as<T>(), count * sizeof(T), cudaMemcpyDeviceToHost), what));
  return values;
}

/// On the model's own stream: a plain cudaMemcpy may return before its last bytes have arrived, and
/// the stream does not wait for the default stream.
template <typename T>
Status upload(const Gpu& gpu, const DeviceBuffer& buffer, const std::vector<T>& values,
              const char* what) {
  PG_TRY(cuda_status(cudaMemcpyAsync(buffer.as<T>(), values.data(), values.size() * sizeof(T),
                                     cudaMemcpyHostToDevice, gpu.stream()),
                     what));
  return gpu.synchronize(what);
}

}  // namespace

Status Transformer::reset() {
  PG_TRY(gpu_.synchronize("wait for the model"));
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(rows()));
  for (std::size_t i = 0; i < tokens.size(); ++i)
    tokens[i] = seeded_token(options_.shape, options_.seed, i);
  PG_TRY(upload(gpu_, input_tokens_, tokens, "copy the prompt"));
  tokens.resize(static_cast<std::size_t>(options_.batch));
  PG_TRY(upload(gpu_, tokens_, tokens, "copy the first tokens"));
  const std::vector<std::int32_t> positions(static_cast<std::size_t>(options_.batch),
                                            static_cast<std::int32_t>(options_.context));
  PG_TRY(upload(gpu_, positions_, positions, "copy the positions"));
  return reset_hashes();
}

Status Transformer::reset_hashes() {
  PG_TRY(gpu_.synchronize("wait for the model"));
  return upload(gpu_, hashes_,
                std::vector<std::uint64_t>(static_cast<std::size_t>(options_.batch), kHashStart),
                "reset the token hashes");
}

WeightPrefetch Transformer::prefetch_of(Product which, const DeviceBuffer& weight) const {
  constexpr std::int64_t kMiB = std::int64_t{1} << 20;
  if (is_streamed(which)) return {};  // it begins with its weights by itself
  const GemmShape& shape = products_[which].shape();
  return weight_prefetch(weight.as<void>(), shape.m, shape.k, options_.prefetch_mib * kMiB);
}

bool Transformer::is_streamed(Product which) const {
  const GemmShape& shape = products_[which].shape();
  return options_.streamed_products && which != kHead && gpu_.has_large_shared() &&
         streamed_gemm_takes(shape.n, shape.m, shape.k);
}

Status Transformer::product(Product which, int index, const DeviceBuffer& weight,
                            const DeviceBuffer& in, const DeviceBuffer& out) {
  const NvtxRange range(options_.layer_ranges, kProductNames[which]);
  return launch_product(which, index, weight, in, out);
}

Status Transformer::launch_product(Product which, int index, const DeviceBuffer& weight,
                                   const DeviceBuffer& in, const DeviceBuffer& out) {
  if (!is_streamed(which)) {
    return products_[which].run(weight.as<void>(), in.as<void>(), out.as<void>(), gpu_.stream());
  }
  const GemmShape& shape = products_[which].shape();
  const StreamedGemm arguments{.weight = weight.as<Bf16Bits>(),
                               .x = in.as<Bf16Bits>(),
                               .y = out.as<Bf16Bits>(),
                               .rows = static_cast<int>(shape.n),
                               .out_features = static_cast<int>(shape.m),
                               .in_features = static_cast<int>(shape.k),
                               .multiprocessors = gpu_.multiprocessors(),
                               .gated = which == kGateUp && fuses_activation(index)};
  return cuda_status(streamed_gemm(context(), arguments), "launch a product");
}

Status Transformer::launch_step() {
  const ModelShape& shape = options_.shape;
  {
    const NvtxRange range(options_.layer_ranges, "embedding");
    const bool decode = options_.mode == StepMode::decode;
    PG_TRY(cuda_status(
        embed_norm(context(), {.tokens = (decode ? tokens_ : input_tokens_).as<std::int32_t>(),
                               .embedding = embedding_.as<Bf16Bits>(),
                               .norm_weight = layers_.front().attention_norm.as<Bf16Bits>(),
                               .residual = residual_.as<Bf16Bits>(),
                               .normed = normed_.as<Bf16Bits>(),
                               .rows = static_cast<int>(rows()),
                               .hidden = static_cast<int>(shape.hidden),
                               .epsilon = shape.norm_epsilon,
                               .prefetch = prefetch_of(kQkv, layers_.front().qkv)}),
        "launch the embedding"));
  }
  for (int i = 0; i < static_cast<int>(shape.layers); ++i) PG_TRY(launch_layer(i));
  return launch_head();
}

Status Transformer::launch_layer(int index) {
  const NvtxRange range(options_.layer_ranges, "layer " + std::to_string(index));
  const DeviceLayer& layer = layers_[static_cast<std::size_t>(index)];
  const bool last = index + 1 == static_cast<int>(options_.shape.layers);
  PG_TRY(product(kQkv, index, layer.qkv, normed_, qkv_));
  PG_TRY(launch_attention(index));
  PG_TRY(product(kOutput, index, layer.output, attention_, update_));
  PG_TRY(launch_add_norm(index, layer.ffn_norm, false, prefetch_of(kGateUp, layer.gate_up)));
  PG_TRY(launch_gate_up(index));
  PG_TRY(product(kDown, index, layer.down, gated_, update_));
  if (last) return launch_add_norm(index, final_norm_, true, prefetch_of(kHead, lm_head_));
  const DeviceLayer& next = layers_[static_cast<std::size_t>(index) + 1];
  return launch_add_norm(index, next.attention_norm, false, prefetch_of(kQkv, next.qkv));
}

Status Transformer::launch_gate_up(int index) {
  const DeviceLayer& layer = layers_[static_cast<std::size_t>(index)];
  const bool fused = fuses_activation(index);
  PG_TRY(product(kGateUp, index, layer.gate_up, normed_, fused ? gated_ : gate_up_));
  if (fused) return {};
  const NvtxRange range(options_.layer_ranges, "silu");
  return launch_activation(index);
}

Status Transformer::launch_activation(int index) {
  const DeviceLayer& layer = layers_[static_cast<std::size_t>(index)];
  return cuda_status(
      gated_silu(context(), gate_up_.as<Bf16Bits>(), gated_.as<Bf16Bits>(), rows(),
                 static_cast<int>(options_.shape.ffn), prefetch_of(kDown, layer.down)),
      "launch the activation");
}

DecodeAttention Transformer::decode_arguments(int index) const {
  const DeviceLayer& layer = layers_[static_cast<std::size_t>(index)];
  const ModelShape& shape = options_.shape;
  return {.qkv = qkv_.as<Bf16Bits>(),
          .keys = layer.keys.as<Bf16Bits>(),
          .values = layer.values.as<Bf16Bits>(),
          .positions = positions_.as<std::int32_t>(),
          .rope = rope_.as<float>(),
          .partial = partial_.as<float>(),
          .partial_state = partial_state_.as<float>(),
          .out = attention_.as<Bf16Bits>(),
          .batch = static_cast<int>(options_.batch),
          .heads = static_cast<int>(shape.heads),
          .kv_heads = static_cast<int>(shape.kv_heads),
          .head_dim = static_cast<int>(shape.head_dim),
          .capacity = static_cast<int>(options_.capacity),
          .splits = splits_,
          .warps = warps_,
          .prefetch = prefetch_of(kOutput, layer.output)};
}

Status Transformer::launch_attention(int index) {
  const NvtxRange range(options_.layer_ranges, "attention");
  if (options_.mode == StepMode::decode) {
    return cuda_status(decode_attention(context(), decode_arguments(index)),
                       "launch decode attention");
  }
  const DeviceLayer& layer = layers_[static_cast<std::size_t>(index)];
  const auto heads = static_cast<int>(options_.shape.heads);
  const auto kv_heads = static_cast<int>(options_.shape.kv_heads);
  const auto head_dim = static_cast<int>(options_.shape.head_dim);
  const auto batch = static_cast<int>(options_.batch);
  const auto tokens = static_cast<int>(options_.tokens);
  const auto capacity = static_cast<int>(options_.capacity);
  PG_TRY(cuda_status(rotate_append(context(), {.qkv = qkv_.as<Bf16Bits>(),
                                               .keys = layer.keys.as<Bf16Bits>(),
                                               .values = layer.values.as<Bf16Bits>(),
                                               .rope = rope_.as<float>(),
                                               .batch = batch,
                                               .tokens = tokens,
                                               .heads = heads,
                                               .kv_heads = kv_heads,
                                               .head_dim = head_dim,
                                               .capacity = capacity}),
                     "launch rotation and append"));
  return cuda_status(prefill_attention(context(), {.qkv = qkv_.as<Bf16Bits>(),
                                                   .keys = layer.keys.as<Bf16Bits>(),
                                                   .values = layer.values.as<Bf16Bits>(),
                                                   .out = attention_.as<Bf16Bits>(),
                                                   .batch = batch,
                                                   .tokens = tokens,
                                                   .heads = heads,
                                                   .kv_heads = kv_heads,
                                                   .head_dim = head_dim,
                                                   .capacity = capacity}),
                     "launch prefill attention");
}

/// In prefill the final norm takes the last position of each sequence only.
Status Transformer::launch_add_norm(int index, const DeviceBuffer& norm_weight, bool last_positions,
                                    const WeightPrefetch& prefetch) {
  const NvtxRange range(options_.layer_ranges, "norm");
  const auto tokens = static_cast<int>(options_.tokens);
  return launch_norm(index, {.residual = residual_.as<Bf16Bits>(),
                             .update = update_.as<Bf16Bits>(),
                             .norm_weight = norm_weight.as<Bf16Bits>(),
                             .normed = normed_.as<Bf16Bits>(),
                             .rows = static_cast<int>(last_positions ? options_.batch : rows()),
                             .row_stride = last_positions ? tokens : 1,
                             .row_offset = last_positions ? tokens - 1 : 0,
                             .hidden = static_cast<int>(options_.shape.hidden),
                             .epsilon = options_.shape.norm_epsilon,
                             .prefetch = prefetch});
}

Status Transformer::launch_head() {
  const auto beyond = static_cast<int>(options_.shape.layers);
  PG_TRY(product(kHead, beyond, lm_head_, normed_, logits_));
  const NvtxRange range(options_.layer_ranges, "argmax");
  return cuda_status(argmax_tokens(context(), {.logits = logits_.as<float>(),
                                               .tokens = tokens_.as<std::int32_t>(),
                                               .hashes = hashes_.as<std::uint64_t>(),
                                               .positions = positions_.as<std::int32_t>(),
                                               .rows = static_cast<int>(options_.batch),
                                               .vocab = static_cast<int>(options_.shape.vocab),
                                               .advance = options_.advance ? 1 : 0}),
                     "launch argmax");
}

Result<std::vector<std::int32_t>> Transformer::read_tokens() const {
  return download<std::int32_t>(gpu_, tokens_, static_cast<std::size_t>(options_.batch),
                                "read the tokens");
}

Result<std::vector<float>> Transformer::read_logits() const {
  return download<float>(gpu_, logits_,
                         static_cast<std::size_t>(options_.batch * options_.shape.vocab),
                         "read the logits");
}

Result<std::vector<Bf16Bits>> Transformer::read_hidden() const {
  return download<Bf16Bits>(gpu_, normed_,
                            static_cast<std::size_t>(options_.batch * options_.shape.hidden),
                            "read the hidden state");
}

Result<std::vector<Bf16Bits>> Transformer::read_keys(int layer) const {
  return download<Bf16Bits>(
      gpu_, layers_[static_cast<std::size_t>(layer)].keys,
      static_cast<std::size_t>(options_.batch * options_.shape.kv_width() * options_.capacity),
      "read the key cache");
}

Result<std::string> Transformer::output_hash() const {
  PG_ASSIGN_OR_RETURN(
      const auto hashes,
      download<std::uint64_t>(gpu_, hashes_, static_cast<std::size_t>(options_.batch),
                              "read the token hashes"));
  std::uint64_t all = kHashStart;
  for (const std::uint64_t hash : hashes) {
    all = fold_token(all, static_cast<std::uint32_t>(hash));
    all = fold_token(all, static_cast<std::uint32_t>(hash >> 32U));
  }
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) {
    text += "0123456789abcdef"[(all >> static_cast<unsigned>(shift)) & 15U];
  }
  return text;
}

int Transformer::tuned_products() const {
  return static_cast<int>(std::ranges::count_if(products_, &GemmPlan::tuned));
}

}  // namespace perfgate::builtin
