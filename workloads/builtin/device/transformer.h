/// The Llama-shaped model on the GPU: weights, buffers, and the launches of one decode or prefill
/// step.
///
/// Everything is seeded (value_hash.h), so a model of equal shape and seed has equal weights on any
/// GPU and on the CPU (reference_model.h). Steps only launch; nothing here waits for the GPU but
/// create() and the fault.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "workloads/builtin/device/gemm.h"
#include "workloads/builtin/device/kernels.h"
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
  bool sync_per_layer = false;
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

 private:
  Transformer(const Gpu& gpu, const TransformerOptions& options) : gpu_(gpu), options_(options) {}
  [[nodiscard]] Status check_shape() const;
  void choose_splits();
  [[nodiscard]] Status allocate_weights();
  [[nodiscard]] Status allocate_layer(int index);
  [[nodiscard]] Status allocate_buffers();
  [[nodiscard]] Status upload_rope();
  [[nodiscard]] Status plan_products(const GemmContext& gemm);
  [[nodiscard]] Status launch_layer(int index);
  [[nodiscard]] Status launch_attention(int index);
  /// normed_ to gated_: both products and the activation, in one kernel or in two.
  [[nodiscard]] Status launch_gate_up(const DeviceLayer& layer);
  [[nodiscard]] Status launch_add_norm(const DeviceBuffer& norm_weight, bool last_positions,
                                       const WeightPrefetch& prefetch);
  [[nodiscard]] WeightPrefetch prefetch_of(Product which, const DeviceBuffer& weight) const;
  [[nodiscard]] Status launch_head();
  [[nodiscard]] Status product(Product which, const char* name, const DeviceBuffer& weight,
                               const DeviceBuffer& in, const DeviceBuffer& out);
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
};

}  // namespace perfgate::builtin
