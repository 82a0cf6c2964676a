/// The parts of `perfgate-workload check`. Each compares with the CPU and adds to the comparison.
#pragma once

#include "workloads/builtin/device/comparison.h"
#include "workloads/builtin/device/gemm.h"
#include "workloads/builtin/run_request.h"

namespace perfgate::builtin {

/// Growing decode steps of a small model against the reference: hidden state, logits and token of
/// each step and sequence; eager and as a graph.
[[nodiscard]] Status check_decode_model(const RunRequest& request, const Gpu& gpu,
                                        const GemmContext& gemm, Comparison& comparison);
/// A prefill of a small model: hidden state, logits, and the last layer's key cache at every
/// position.
[[nodiscard]] Status check_prefill_model(const RunRequest& request, const Gpu& gpu,
                                         const GemmContext& gemm, Comparison& comparison);
/// The product of a gemm request, at a sample of its elements.
[[nodiscard]] Status check_product(const RunRequest& request, const Gpu& gpu,
                                   const GemmContext& gemm, Comparison& comparison);
/// Decode attention alone in the Llama-3-8B head layout and the tiny one, with several splits.
[[nodiscard]] Status check_decode_attention(const Gpu& gpu, Comparison& comparison);
/// Prefill attention alone in both layouts, with lengths that do not fill their tiles.
[[nodiscard]] Status check_prefill_attention(const Gpu& gpu, Comparison& comparison);

}  // namespace perfgate::builtin
