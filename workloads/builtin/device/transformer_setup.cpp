// The making of a model: checks, memory, seeded contents, plans.
#include <cmath>
#include <string>

#include "workloads/builtin/decode_splits.h"
#include "workloads/builtin/device/planted_layers.h"
#include "workloads/builtin/device/transformer.h"
#include "workloads/builtin/reference_ops.h"
#include "workloads/builtin/value_hash.h"

namespace perfgate::builtin {
namespace {

std::size_t bf16_bytes(std::int64_t elements) {
  return static_cast<std::size_t>(elements) * sizeof(Bf16Bits);
}

Error unsupported(std::string message) {
  return Error{ErrorCode::unsupported, std::move(message), "use one of the presets", ""};
}

}  // namespace

Result<DeviceBuffer> hashed_tensor(const Gpu& gpu, std::string_view what, std::int64_t elements,
                                   std::uint32_t key, float amplitude, float offset) {
  PG_ASSIGN_OR_RETURN(DeviceBuffer buffer, DeviceBuffer::allocate(bf16_bytes(elements), what));
  PG_TRY(cuda_status(fill_hashed({gpu.stream(), false}, buffer.as<Bf16Bits>(),
                                 static_cast<std::uint64_t>(elements), key, amplitude, offset),
                     "fill " + std::string(what)));
  return buffer;
}

Result<std::unique_ptr<Transformer>> Transformer::create(const Gpu& gpu, const GemmContext& gemm,
                                                         const TransformerOptions& options) {
  std::unique_ptr<Transformer> model =
      options.faults.any_in_layers() ? planted_transformer(gpu, options)
                                     : std::unique_ptr<Transformer>(new Transformer(gpu, options));
  PG_TRY(model->check_shape());
  model->choose_splits();
  PG_TRY(model->allocate_weights());
  PG_TRY(model->allocate_buffers());
  PG_ASSIGN_OR_RETURN(model->rope_, rope_tensor(gpu, options.shape, options.capacity));
  PG_TRY(model->plan_products(gemm));
  PG_TRY(model->prepare(gemm));
  PG_TRY(model->reset());
  return model;
}

Status Transformer::check_shape() const {
  const ModelShape& shape = options_.shape;
  const bool group_fits =
      shape.group() == 1 || shape.group() == 2 || shape.group() == 4 || shape.group() == 8;
  if (shape.heads % shape.kv_heads != 0 || !group_fits) {
    return unsupported("1, 2, 4 or 8 query heads per KV head are supported");
  }
  if (shape.head_dim != 64 && shape.head_dim != 128)
    return unsupported("head_dim must be 64 or 128");
  if (shape.hidden % 8 != 0 || shape.hidden > kHiddenMax || shape.ffn % 8 != 0 ||
      shape.vocab % 4 != 0) {
    return unsupported(
        "hidden and ffn must be multiples of 8, hidden at most 8192, vocab a multiple of 4");
  }
  const std::int64_t last =
      options_.mode == StepMode::decode ? options_.context + 1 : options_.tokens;
  if (last > options_.capacity) return unsupported("the KV cache is too short for the context");
  return {};
}

void Transformer::choose_splits() {
  if (options_.mode == StepMode::prefill) return;
  const ModelShape& shape = options_.shape;
  const std::int64_t pairs = options_.batch * shape.kv_heads;
  splits_ = decode_splits(pairs, options_.capacity, gpu_.multiprocessors());
  warps_ = decode_warps(pairs * splits_, gpu_.multiprocessors(), gpu_.has_large_shared());
}

Status Transformer::allocate_weights() {
  const ModelShape& shape = options_.shape;
  const WeightAmplitudes size = weight_amplitudes(shape);
  const auto key = [&](std::uint32_t tensor) { return hash_key(options_.seed, tensor); };
  const std::int64_t vocab_elements = shape.vocab * shape.hidden;
  PG_ASSIGN_OR_RETURN(embedding_, hashed_tensor(gpu_, "the embedding", vocab_elements,
                                                key(kEmbeddingTensor), size.embedding, 0.0F));
  PG_ASSIGN_OR_RETURN(lm_head_, hashed_tensor(gpu_, "the LM head", vocab_elements,
                                              key(kLmHeadTensor), size.lm_head, 0.0F));
  PG_ASSIGN_OR_RETURN(final_norm_, hashed_tensor(gpu_, "the final norm", shape.hidden,
                                                 key(kFinalNormTensor), size.norm_spread, 1.0F));
  for (int i = 0; i < static_cast<int>(shape.layers); ++i) PG_TRY(allocate_layer(i));
  return {};
}

Status Transformer::allocate_layer(int index) {
  const ModelShape& shape = options_.shape;
  const WeightAmplitudes size = weight_amplitudes(shape);
  const std::string where = " of layer " + std::to_string(index);
  const auto tensor = [&](const char* what, LayerTensor which, std::int64_t elements,
                          float amplitude, float offset) {
    return hashed_tensor(gpu_, what + where, elements,
                         hash_key(options_.seed, layer_tensor(index, which)), amplitude, offset);
  };
  DeviceLayer layer;
  PG_ASSIGN_OR_RETURN(layer.qkv, tensor("the QKV weights", LayerTensor::qkv,
                                        shape.qkv_width() * shape.hidden, size.qkv, 0.0F));
  PG_ASSIGN_OR_RETURN(layer.output, tensor("the output projection", LayerTensor::output,
                                           shape.hidden * shape.query_width(), size.output, 0.0F));
  PG_ASSIGN_OR_RETURN(layer.gate_up, tensor("the gate and up weights", LayerTensor::gate_up,
                                            2 * shape.ffn * shape.hidden, size.gate_up, 0.0F));
  PG_ASSIGN_OR_RETURN(layer.down, tensor("the down weights", LayerTensor::down,
                                         shape.hidden * shape.ffn, size.down, 0.0F));
  PG_ASSIGN_OR_RETURN(layer.attention_norm,
                      tensor("the attention norm", LayerTensor::attention_norm, shape.hidden,
                             size.norm_spread, 1.0F));
  PG_ASSIGN_OR_RETURN(layer.ffn_norm, tensor("the feed-forward norm", LayerTensor::ffn_norm,
                                             shape.hidden, size.norm_spread, 1.0F));
  const std::int64_t cache_elements = options_.batch * shape.kv_width() * options_.capacity;
  PG_ASSIGN_OR_RETURN(layer.keys, tensor("the key cache", LayerTensor::key_cache, cache_elements,
                                         size.cache, 0.0F));
  PG_ASSIGN_OR_RETURN(layer.values, tensor("the value cache", LayerTensor::value_cache,
                                           cache_elements, size.cache, 0.0F));
  layers_.push_back(std::move(layer));
  return {};
}

Status Transformer::allocate_buffers() {
  const ModelShape& shape = options_.shape;
  const auto activations = [&](DeviceBuffer& buffer, const char* what,
                               std::int64_t width) -> Status {
    PG_ASSIGN_OR_RETURN(buffer, DeviceBuffer::allocate(bf16_bytes(rows() * width), what));
    return {};
  };
  PG_TRY(activations(residual_, "the residual stream", shape.hidden));
  PG_TRY(activations(normed_, "the normed activations", shape.hidden));
  PG_TRY(activations(qkv_, "q, k and v", shape.qkv_width()));
  PG_TRY(activations(attention_, "the attention output", shape.query_width()));
  PG_TRY(activations(update_, "the projections' output", shape.hidden));
  PG_TRY(activations(gate_up_, "gate and up", 2 * shape.ffn));
  PG_TRY(activations(gated_, "the gated activations", shape.ffn));
  const auto batch = static_cast<std::size_t>(options_.batch);
  const auto words = static_cast<std::size_t>(rows()) * sizeof(std::int32_t);
  PG_ASSIGN_OR_RETURN(
      logits_, DeviceBuffer::allocate(batch * static_cast<std::size_t>(shape.vocab) * sizeof(float),
                                      "the logits"));
  PG_ASSIGN_OR_RETURN(input_tokens_, DeviceBuffer::allocate(words, "the prompt"));
  PG_ASSIGN_OR_RETURN(tokens_, DeviceBuffer::allocate(batch * sizeof(std::int32_t), "the tokens"));
  PG_ASSIGN_OR_RETURN(positions_,
                      DeviceBuffer::allocate(batch * sizeof(std::int32_t), "the positions"));
  PG_ASSIGN_OR_RETURN(hashes_,
                      DeviceBuffer::allocate(batch * sizeof(std::uint64_t), "the token hashes"));
  if (splits_ == 1) return {};
  const std::size_t parts =
      batch * static_cast<std::size_t>(shape.heads) * static_cast<std::size_t>(splits_);
  PG_ASSIGN_OR_RETURN(
      partial_,
      DeviceBuffer::allocate(parts * static_cast<std::size_t>(shape.head_dim) * sizeof(float),
                             "the attention's parts"));
  PG_ASSIGN_OR_RETURN(partial_state_, DeviceBuffer::allocate(parts * 2 * sizeof(float),
                                                             "the attention parts' sums"));
  return {};
}

/// Angles in double precision: FP32 sines of large positions would differ from the reference.
Result<DeviceBuffer> rope_tensor(const Gpu& gpu, const ModelShape& shape, std::int64_t positions) {
  const std::int64_t half = shape.head_dim / 2;
  std::vector<float> table;
  table.reserve(static_cast<std::size_t>(2 * half * positions));
  for (std::int64_t position = 0; position < positions; ++position) {
    for (std::int64_t pair = 0; pair < half; ++pair) {
      const double angle = rope_angle(position, pair, shape.head_dim, shape.rope_theta);
      table.push_back(static_cast<float>(std::cos(angle)));
      table.push_back(static_cast<float>(std::sin(angle)));
    }
  }
  const std::size_t bytes = table.size() * sizeof(float);
  PG_ASSIGN_OR_RETURN(DeviceBuffer rope, DeviceBuffer::allocate(bytes, "the rotary table"));
  PG_TRY(cuda_status(
      cudaMemcpyAsync(rope.as<float>(), table.data(), bytes, cudaMemcpyHostToDevice, gpu.stream()),
      "copy the rotary table"));
  PG_TRY(gpu.synchronize("copy the rotary table"));
  return rope;
}

Status Transformer::plan_products(const GemmContext& gemm) {
  for (const ProductShape& product : model_products(options_.shape, rows(), options_.batch)) {
    const GemmShape shape{.m = product.out_features,
                          .n = product.rows,
                          .k = product.in_features,
                          .layout = GemmLayout::tn,
                          .dtype = product.float_output ? GemmDtype::bf16_fp32 : GemmDtype::bf16};
    PG_ASSIGN_OR_RETURN(GemmPlan plan, GemmPlan::create(gemm, shape));
    products_.push_back(std::move(plan));
  }
  return {};
}

}  // namespace perfgate::builtin
