#include "workloads/builtin/device/request_shapes.h"

#include "workloads/builtin/model_shape.h"

namespace perfgate::builtin {

Result<GemmShape> gemm_request_shape(const Parameters& with) {
  PG_ASSIGN_OR_RETURN(const GemmLayout layout, gemm_layout(with.word("layout")));
  PG_ASSIGN_OR_RETURN(const GemmDtype dtype, gemm_dtype(with.word("dtype")));
  return GemmShape{.m = with.integer("m"),
                   .n = with.integer("n"),
                   .k = with.integer("k"),
                   .layout = layout,
                   .dtype = dtype};
}

GemmShape control_shape() {
  return {.m = kControlSide,
          .n = kControlSide,
          .k = kControlSide,
          .layout = GemmLayout::tn,
          .dtype = GemmDtype::bf16};
}

TransformerOptions decode_options(const RunRequest& request, const Gpu& gpu,
                                  const ModelShape& shape) {
  const Parameters& with = request.parameters;
  const bool advance = with.boolean("advance");
  // One step more than counted: the one that loads the kernels.
  const std::int64_t growth = advance ? request.warmup + request.steps + 1 : 1;
  return {.mode = StepMode::decode,
          .shape = shape,
          .batch = with.integer("batch"),
          .tokens = 1,
          .context = with.integer("context"),
          .capacity = with.integer("context") + growth,
          .advance = advance,
          .layer_ranges = with.boolean("layer_ranges"),
          .faults = request.faults,
          .dependent_launch = with.boolean("dependent_launch") && gpu.has_dependent_launch(),
          .prefetch_mib = with.integer("prefetch_mib"),
          .streamed_products = with.word("own_gemm") == "streamed",
          .seed = static_cast<std::uint32_t>(with.integer("seed"))};
}

Result<std::vector<GemmShape>> request_shapes(const RunRequest& request) {
  const std::string_view kind = request.kind->name;
  std::vector<GemmShape> shapes;
  if (kind == "control") return std::vector<GemmShape>{control_shape()};
  if (kind == "gemm") {
    PG_ASSIGN_OR_RETURN(const GemmShape shape, gemm_request_shape(request.parameters));
    return std::vector<GemmShape>{shape};
  }
  if (kind != "transformer_decode" && kind != "transformer_prefill") return shapes;
  const Parameters& with = request.parameters;
  PG_ASSIGN_OR_RETURN(const ModelShape shape, preset_shape(with.word("preset")));
  const std::int64_t batch = with.integer("batch");
  const std::int64_t rows = kind == "transformer_decode" ? batch : batch * with.integer("tokens");
  for (const ProductShape& product : model_products(shape, rows, batch)) {
    shapes.push_back({.m = product.out_features,
                      .n = product.rows,
                      .k = product.in_features,
                      .layout = GemmLayout::tn,
                      .dtype = product.float_output ? GemmDtype::bf16_fp32 : GemmDtype::bf16});
  }
  return shapes;
}

}  // namespace perfgate::builtin
