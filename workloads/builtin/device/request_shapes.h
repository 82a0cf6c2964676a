/// What a request will run, from its parameters: products, and the decode model.
#pragma once

#include <vector>

#include "workloads/builtin/device/gemm.h"
#include "workloads/builtin/device/transformer.h"
#include "workloads/builtin/run_request.h"

namespace perfgate::builtin {

/// Of the kind gemm.
[[nodiscard]] Result<GemmShape> gemm_request_shape(const Parameters& with);

/// Side of the square BF16 product that is the compute control.
inline constexpr std::int64_t kControlSide = 8192;
[[nodiscard]] GemmShape control_shape();

/// The model of transformer_decode.
[[nodiscard]] TransformerOptions decode_options(const RunRequest& request, const Gpu& gpu,
                                                const ModelShape& shape);

/// Of any kind; empty for one without products.
[[nodiscard]] Result<std::vector<GemmShape>> request_shapes(const RunRequest& request);

}  // namespace perfgate::builtin
