#include "workloads/builtin/device/planted_layers.h"

#include <algorithm>
#include <array>
#include <string>

#include "workloads/builtin/device/planted_kernels.h"
#include "workloads/builtin/value_hash.h"

namespace perfgate::builtin {
namespace {

/// So many algorithms are asked for; the library's order is that of the time it expects.
constexpr int kProposals = 32;

Result<DeviceBuffer> wide_tensor(std::int64_t elements, std::string_view what) {
  return DeviceBuffer::allocate(static_cast<std::size_t>(elements) * sizeof(float), what);
}

/// In FP32 what the BF16 tensor holds.
Result<DeviceBuffer> widened(const Gpu& gpu, const DeviceBuffer& from, std::string_view what) {
  const auto elements = static_cast<std::int64_t>(from.bytes() / sizeof(Bf16Bits));
  PG_ASSIGN_OR_RETURN(DeviceBuffer wide, wide_tensor(elements, what));
  PG_TRY(cuda_status(widen({gpu.stream(), false}, from.as<Bf16Bits>(), wide.as<float>(), elements),
                     what));
  return wide;
}

}  // namespace

std::unique_ptr<Transformer> planted_transformer(const Gpu& gpu,
                                                 const TransformerOptions& options) {
  return std::make_unique<PlantedLayers>(gpu, options);
}

Status PlantedLayers::prepare(const GemmContext& gemm) {
  const Faults& faults = options_.faults;
  if (faults.has(Fault::gemm_slow)) PG_TRY(prepare_slow_products(gemm));
  if (faults.has(Fault::fp32_mlp)) PG_TRY(prepare_wide_mlp(gemm));
  if (faults.has(Fault::context_x2)) PG_TRY(prepare_long_context());
  if (faults.has(Fault::transpose_copy)) {
    PG_ASSIGN_OR_RETURN(
        transposed_, DeviceBuffer::allocate(layers_.front().output.bytes(), "the transposed copy"));
  }
  return gpu_.synchronize("prepare the planted faults");
}

Status PlantedLayers::prepare_slow_products(const GemmContext& gemm) {
  const DeviceLayer& layer = layers_.front();
  struct Operands {
    const DeviceBuffer &weight, &in, &out;
  };
  const std::array<Operands, kHead> operands{{{layer.qkv, normed_, qkv_},
                                              {layer.output, attention_, update_},
                                              {layer.gate_up, normed_, gate_up_},
                                              {layer.down, gated_, update_}}};
  for (std::size_t which = 0; which < operands.size(); ++which) {
    const auto& [weight, in, out] = operands[which];
    PG_ASSIGN_OR_RETURN(GemmPlan slow, GemmPlan::create(gemm, products_[which].shape()));
    PG_ASSIGN_OR_RETURN(const auto proposals, slow.proposals(kProposals));
    for (auto proposal = proposals.rbegin(); proposal != proposals.rend(); ++proposal) {
      slow.use(*proposal);  // one that does not run is passed over, as tuning does
      if (slow.run(weight.as<void>(), in.as<void>(), out.as<void>(), gpu_.stream()).ok()) break;
    }
    slow_products_.push_back(std::move(slow));
  }
  return {};
}

/// The BF16 weights stay: layers beyond SIZE and the model's own checks have them.
Status PlantedLayers::prepare_wide_mlp(const GemmContext& gemm) {
  for (const Product which : {kGateUp, kDown}) {
    GemmShape shape = products_[which].shape();
    shape.dtype = GemmDtype::fp32;
    PG_ASSIGN_OR_RETURN(GemmPlan plan, GemmPlan::create(gemm, shape));
    wide_products_.push_back(std::move(plan));
  }
  const ModelShape& shape = options_.shape;
  PG_ASSIGN_OR_RETURN(
      wide_in_, wide_tensor(rows() * std::max(shape.hidden, shape.ffn), "the FP32 activations"));
  PG_ASSIGN_OR_RETURN(
      wide_out_, wide_tensor(rows() * std::max(shape.hidden, 2 * shape.ffn), "the FP32 result"));
  for (int i = 0; i < options_.faults.count(Fault::fp32_mlp); ++i) {
    const DeviceLayer& layer = layers_[static_cast<std::size_t>(i)];
    const std::string where = " of layer " + std::to_string(i) + " in FP32";
    WideLayer wide;
    PG_ASSIGN_OR_RETURN(wide.gate_up,
                        widened(gpu_, layer.gate_up, "the gate and up weights" + where));
    PG_ASSIGN_OR_RETURN(wide.down, widened(gpu_, layer.down, "the down weights" + where));
    wide_layers_.push_back(std::move(wide));
  }
  return {};
}

/// Caches of twice the length take the place of the layers' own.
Status PlantedLayers::prepare_long_context() {
  const ModelShape& shape = options_.shape;
  const float amplitude = weight_amplitudes(shape).cache;
  const std::int64_t elements = options_.batch * shape.kv_width() * 2 * options_.capacity;
  const auto cache = [&](int index, LayerTensor which) {
    return hashed_tensor(gpu_, "a cache of twice the context", elements,
                         hash_key(options_.seed, layer_tensor(index, which)), amplitude, 0.0F);
  };
  for (int i = 0; i < options_.faults.count(Fault::context_x2); ++i) {
    DeviceLayer& layer = layers_[static_cast<std::size_t>(i)];
    PG_ASSIGN_OR_RETURN(layer.keys, cache(i, LayerTensor::key_cache));
    PG_ASSIGN_OR_RETURN(layer.values, cache(i, LayerTensor::value_cache));
  }
  PG_ASSIGN_OR_RETURN(far_rope_, rope_tensor(gpu_, shape, 2 * options_.capacity));
  const std::vector<std::int32_t> positions(static_cast<std::size_t>(options_.batch),
                                            static_cast<std::int32_t>(2 * options_.context));
  const std::size_t bytes = positions.size() * sizeof(std::int32_t);
  PG_ASSIGN_OR_RETURN(far_positions_, DeviceBuffer::allocate(bytes, "the far positions"));
  PG_TRY(cuda_status(cudaMemcpyAsync(far_positions_.as<void>(), positions.data(), bytes,
                                     cudaMemcpyHostToDevice, gpu_.stream()),
                     "copy the far positions"));
  return gpu_.synchronize("copy the far positions");
}

Status PlantedLayers::launch_layer(int index) {
  PG_TRY(Transformer::launch_layer(index));
  if (planted(Fault::transpose_copy, index)) PG_TRY(launch_transpose(index));
  const int every = options_.faults.count(Fault::sync_per_layer);
  if (every > 0 && (index + 1) % every == 0) return gpu_.synchronize("wait for a layer");
  return {};
}

Status PlantedLayers::launch_transpose(int index) {
  const ModelShape& shape = options_.shape;
  return cuda_status(
      transpose(context(), layers_[static_cast<std::size_t>(index)].output.as<Bf16Bits>(),
                transposed_.as<Bf16Bits>(), static_cast<int>(shape.hidden),
                static_cast<int>(shape.query_width())),
      "launch the planted transposed copy");
}

Status PlantedLayers::launch_product(Product which, int index, const DeviceBuffer& weight,
                                     const DeviceBuffer& in, const DeviceBuffer& out) {
  if (planted(Fault::fp32_mlp, index) && (which == kGateUp || which == kDown)) {
    return launch_wide_product(which, index, in, out);
  }
  if (planted(Fault::gemm_slow, index)) {
    return slow_products_[which].run(weight.as<void>(), in.as<void>(), out.as<void>(),
                                     gpu_.stream());
  }
  return Transformer::launch_product(which, index, weight, in, out);
}

Status PlantedLayers::launch_wide_product(Product which, int index, const DeviceBuffer& in,
                                          const DeviceBuffer& out) {
  const WideLayer& layer = wide_layers_[static_cast<std::size_t>(index)];
  const GemmPlan& plan = wide_products_[which == kGateUp ? 0 : 1];
  const GemmShape& shape = plan.shape();
  PG_TRY(cuda_status(widen(context(), in.as<Bf16Bits>(), wide_in_.as<float>(), shape.n * shape.k),
                     "launch the planted widening"));
  const DeviceBuffer& weight = which == kGateUp ? layer.gate_up : layer.down;
  PG_TRY(plan.run(weight.as<void>(), wide_in_.as<void>(), wide_out_.as<void>(), gpu_.stream()));
  return cuda_status(
      narrow(context(), wide_out_.as<float>(), out.as<Bf16Bits>(), shape.n * shape.m),
      "launch the planted narrowing");
}

bool PlantedLayers::fuses_activation(int index) const {
  const bool replaced = planted(Fault::fp32_mlp, index) || planted(Fault::gemm_slow, index) ||
                        planted(Fault::unfused_norm, index);
  return !replaced && Transformer::fuses_activation(index);
}

Status PlantedLayers::launch_activation(int index) {
  if (!planted(Fault::unfused_norm, index)) return Transformer::launch_activation(index);
  const auto ffn = static_cast<int>(options_.shape.ffn);
  const auto* gate_up = gate_up_.as<Bf16Bits>();
  auto* gated = gated_.as<Bf16Bits>();
  PG_TRY(cuda_status(silu_alone(context(), gate_up, gated, rows(), ffn), "launch a planted silu"));
  return cuda_status(multiply_up(context(), gate_up, gated, rows(), ffn),
                     "launch a planted multiplication");
}

Status PlantedLayers::launch_norm(int index, const AddNorm& arguments) {
  const auto* ffn_norm = layers_[static_cast<std::size_t>(index)].ffn_norm.as<Bf16Bits>();
  if (!planted(Fault::split_launch, index) || arguments.norm_weight != ffn_norm) {
    return launch_norm_part(index, arguments);
  }
  const int parts = std::min(kSplitLaunches, arguments.rows);
  for (int part = 0; part < parts; ++part) {
    const int first = arguments.rows * part / parts;
    AddNorm own = arguments;
    own.rows = arguments.rows * (part + 1) / parts - first;
    own.row_offset += first * arguments.row_stride;
    own.normed += static_cast<std::int64_t>(first) * arguments.hidden;
    if (part > 0) own.prefetch = {};
    PG_TRY(launch_norm_part(index, own));
  }
  return {};
}

Status PlantedLayers::launch_norm_part(int index, const AddNorm& arguments) {
  if (!planted(Fault::unfused_norm, index)) return Transformer::launch_norm(index, arguments);
  PG_TRY(cuda_status(residual_add(context(), arguments), "launch a planted addition"));
  return cuda_status(norm_alone(context(), arguments), "launch a planted norm");
}

DecodeAttention PlantedLayers::decode_arguments(int index) const {
  DecodeAttention arguments = Transformer::decode_arguments(index);
  if (planted(Fault::context_x2, index)) {
    arguments.positions = far_positions_.as<std::int32_t>();
    arguments.rope = far_rope_.as<float>();
    arguments.capacity *= 2;
  }
  if (planted(Fault::no_split_k, index)) {
    arguments.splits = 1;
    arguments.warps = 1;
  }
  return arguments;
}

}  // namespace perfgate::builtin
