/// The Llama-shaped model on the GPU: weights, buffers, and the launches of one decode or prefill
/// step.
///
/// Everything is seeded (value_hash.h), so a model of equal shape and seed has equal weights on any
/// GPU and on the CPU (reference_model.h). Steps only launch; nothing here waits for the GPU but
/// create(). Faults planted in layers replace the virtual functions (planted_layers.h).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "workloads/builtin/device/gemm.h"
#include "workloads/builtin/device/kernels.h"
#include "workloads/builtin/faults.h"
#include "workloads/builtin/model_shape.h"

namespace perfgate::builtin {

enum class StepMode : std::uint8_t { decode, prefill };

struct TransformerOptions {
  StepMode mode = StepMode::decode;
  ModelShape shape;
  std::int64_t batch = 1;
  std::int64_t tokens = 1;    ///< prefill: prompt length; decode: 1
  std::int64_t context = 0;   ///< decode: tokens in the seeded cache before the first step
  std::int64_t capacity = 1;  ///< tokens that the cache can hold
  bool advance = false;       ///< decode: the next step sees one more token
  bool layer_ranges = false;
  Faults faults;  ///< those in layers count
  bool dependent_launch = false;
  std::int64_t prefetch_mib = 0;  ///< of the next weight, by the kernels between the products
  /// All products but the head's by streamed_gemm, where the GPU has the shared memory and the
  /// kernel takes the shape; the others, and without this all, by cuBLASLt.
  bool streamed_products = false;
  std::uint32_t seed = 1;
};

struct DeviceLayer {
  DeviceBuffer qkv, output, gate_up, down, attention_norm, ffn_norm, keys, values;
};

/// The products of a layer and the head, as model_products() lists them.
enum Product : std::size_t { kQkv, kOutput, kGateUp, kDown, kHead, kProducts };

class Transformer {
 public:
  virtual ~Transformer() = default;
  Transformer(const Transformer&) = delete;
  Transformer& operator=(const Transformer&) = delete;

  /// Allocates and fills everything. Errors: `unsupported` for a shape that the kernels do not take
  /// or that does not fit.
  [[nodiscard]] static Result<std::unique_ptr<Transformer>> create(
      const Gpu& gpu, const GemmContext& gemm, const TransformerOptions& options);

  /// Launches one step on the GPU's stream.
  [[nodiscard]] Status launch_step();
  /// First tokens, positions and hashes; the seeded cache is not restored.
  [[nodiscard]] Status reset();
  [[nodiscard]] Status reset_hashes();

  /// The next wait for the GPU, then copies to the host.
  [[nodiscard]] Result<std::vector<std::int32_t>> read_tokens() const;
  [[nodiscard]] Result<std::vector<float>> read_logits() const;  ///< [batch, vocab]
  [[nodiscard]] Result<std::vector<Bf16Bits>> read_hidden()
      const;  ///< [batch, hidden], after the final norm
  [[nodiscard]] Result<std::vector<Bf16Bits>> read_keys(
      int layer) const;  ///< [batch, kv_heads, capacity, head_dim]
  /// Over the tokens of all steps since reset_hashes(), as 16 hex digits.
  [[nodiscard]] Result<std::string> output_hash() const;
  [[nodiscard]] int splits() const { return splits_; }
  [[nodiscard]] bool dependent_launch() const { return options_.dependent_launch; }
  /// Products with an algorithm out of the tuning file, of all five.
  [[nodiscard]] int tuned_products() const;
  /// The product is streamed_gemm's: its plan is not used.
  [[nodiscard]] bool is_streamed(Product which) const;
  /// For `tune`: another algorithm takes effect with the next launch_step().
  [[nodiscard]] GemmPlan& plan_of(Product which) { return products_[which]; }

 protected:
  Transformer(const Gpu& gpu, const TransformerOptions& options) : gpu_(gpu), options_(options) {}
  /// The last part of create().
  [[nodiscard]] virtual Status prepare(const GemmContext& /*gemm*/) { return {}; }
  [[nodiscard]] virtual Status launch_layer(int index);
  /// One product of layer `index`, or, after the last one, the head.
  [[nodiscard]] virtual Status launch_product(Product which, int index, const DeviceBuffer& weight,
                                              const DeviceBuffer& in, const DeviceBuffer& out);
  /// The kernel of the gate_up product also applies the activation.
  [[nodiscard]] virtual bool fuses_activation(int /*index*/) const { return is_streamed(kGateUp); }
  /// gate_up_ to gated_.
  [[nodiscard]] virtual Status launch_activation(int index);
  [[nodiscard]] virtual Status launch_norm(int /*index*/, const AddNorm& arguments) {
    return cuda_status(add_norm(context(), arguments), "launch residual and norm");
  }
  [[nodiscard]] virtual DecodeAttention decode_arguments(int index) const;
  [[nodiscard]] std::int64_t rows() const { return options_.batch * options_.tokens; }
  [[nodiscard]] LaunchContext context() const { return {gpu_.stream(), options_.dependent_launch}; }

  const Gpu& gpu_;
  TransformerOptions options_;
  int splits_ = 1;  ///< of decode attention, as is warps_
  int warps_ = 1;
  std::vector<DeviceLayer> layers_;
  DeviceBuffer embedding_, lm_head_, final_norm_, rope_;
  DeviceBuffer input_tokens_, tokens_, positions_, hashes_;
  DeviceBuffer residual_, normed_, qkv_, attention_, update_, gate_up_, gated_, logits_;
  DeviceBuffer partial_, partial_state_;
  std::vector<GemmPlan> products_;  ///< as model_products() lists them

 private:
  [[nodiscard]] Status check_shape() const;
  void choose_splits();
  [[nodiscard]] Status allocate_weights();
  [[nodiscard]] Status allocate_layer(int index);
  [[nodiscard]] Status allocate_buffers();
  [[nodiscard]] Status plan_products(const GemmContext& gemm);
  [[nodiscard]] Status launch_attention(int index);
  /// normed_ to gated_: both products and the activation, in one kernel or in two.
  [[nodiscard]] Status launch_gate_up(int index);
  [[nodiscard]] Status launch_add_norm(int index, const DeviceBuffer& norm_weight,
                                       bool last_positions, const WeightPrefetch& prefetch);
  [[nodiscard]] WeightPrefetch prefetch_of(Product which, const DeviceBuffer& weight) const;
  [[nodiscard]] Status launch_head();
  [[nodiscard]] Status product(Product which, int index, const DeviceBuffer& weight,
                               const DeviceBuffer& in, const DeviceBuffer& out);
};

/// A BF16 tensor with hashed contents, and the rotary table of `positions` positions.
[[nodiscard]] Result<DeviceBuffer> hashed_tensor(const Gpu& gpu, std::string_view what,
                                                 std::int64_t elements, std::uint32_t key,
                                                 float amplitude, float offset);
[[nodiscard]] Result<DeviceBuffer> rope_tensor(const Gpu& gpu, const ModelShape& shape,
                                               std::int64_t positions);

}  // namespace perfgate::builtin
