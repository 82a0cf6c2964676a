/// The kernels that only planted faults launch (faults.h); as kernels.h describes them.
#pragma once

#include "workloads/builtin/device/kernels.h"

namespace perfgate::builtin {

/// fp32_mlp: BF16 to FP32 and back, rounded to nearest even. `count` is a multiple of 8.
cudaError_t widen(const LaunchContext& context, const Bf16Bits* from, float* to,
                  std::int64_t count);
cudaError_t narrow(const LaunchContext& context, const float* from, Bf16Bits* to,
                   std::int64_t count);

/// unfused_norm: the two halves of add_norm(); nothing is prefetched.
cudaError_t residual_add(const LaunchContext& context, const AddNorm& arguments);
cudaError_t norm_alone(const LaunchContext& context, const AddNorm& arguments);

/// unfused_norm: the two halves of gated_silu(), with a rounding to BF16 in between. `out` is the
/// gate's silu after the first and the result after the second.
cudaError_t silu_alone(const LaunchContext& context, const Bf16Bits* gate_up, Bf16Bits* out,
                       std::int64_t rows, int ffn);
cudaError_t multiply_up(const LaunchContext& context, const Bf16Bits* gate_up, Bf16Bits* out,
                        std::int64_t rows, int ffn);

/// transpose_copy: to [columns, rows] from [rows, columns].
cudaError_t transpose(const LaunchContext& context, const Bf16Bits* from, Bf16Bits* to, int rows,
                      int columns);

}  // namespace perfgate::builtin
