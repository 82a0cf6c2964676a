/// The model with faults in its first layers (FaultPlace::layer and decode_layer of faults.h). Each
/// replaces an operation by a slower one, or adds one; a layer without the fault runs the model's
/// own code.
///
/// Where two faults want the same product, fp32_mlp has those of the feed-forward and gemm_slow the
/// others. The next weight is prefetched by what the model launches itself, not by what replaces
/// it.
#pragma once

#include <memory>
#include <vector>

#include "workloads/builtin/device/transformer.h"

namespace perfgate::builtin {

/// For Transformer::create(), which makes it ready.
[[nodiscard]] std::unique_ptr<Transformer> planted_transformer(const Gpu& gpu,
                                                               const TransformerOptions& options);

class PlantedLayers final : public Transformer {
 public:
  PlantedLayers(const Gpu& gpu, const TransformerOptions& options) : Transformer(gpu, options) {}

 protected:
  [[nodiscard]] Status prepare(const GemmContext& gemm) override;
  [[nodiscard]] Status launch_layer(int index) override;
  [[nodiscard]] Status launch_product(Product which, int index, const DeviceBuffer& weight,
                                      const DeviceBuffer& in, const DeviceBuffer& out) override;
  [[nodiscard]] bool fuses_activation(int index) const override;
  [[nodiscard]] Status launch_activation(int index) override;
  [[nodiscard]] Status launch_norm(int index, const AddNorm& arguments) override;
  [[nodiscard]] DecodeAttention decode_arguments(int index) const override;

 private:
  /// Of the layer's FP32 weights; empty in layers without them.
  struct WideLayer {
    DeviceBuffer gate_up, down;
  };

  [[nodiscard]] bool planted(Fault fault, int index) const {
    return index < options_.faults.count(fault);
  }
  [[nodiscard]] Status prepare_slow_products(const GemmContext& gemm);
  [[nodiscard]] Status prepare_wide_mlp(const GemmContext& gemm);
  [[nodiscard]] Status prepare_long_context();
  [[nodiscard]] Status launch_wide_product(Product which, int index, const DeviceBuffer& in,
                                           const DeviceBuffer& out);
  [[nodiscard]] Status launch_norm_part(int index, const AddNorm& arguments);
  [[nodiscard]] Status launch_transpose(int index);

  std::vector<GemmPlan> slow_products_;  ///< gemm_slow: as products_, without the head's
  std::vector<WideLayer> wide_layers_;   ///< fp32_mlp
  std::vector<GemmPlan> wide_products_;  ///< fp32_mlp: gate_up and down
  DeviceBuffer wide_in_, wide_out_;
  DeviceBuffer far_positions_, far_rope_;  ///< context_x2
  DeviceBuffer transposed_;                ///< transpose_copy
};

}  // namespace perfgate::builtin
