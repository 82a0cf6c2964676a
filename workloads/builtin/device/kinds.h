/// The built-in workloads: one function a kind, each in its own file.
///
/// A function opens what it needs (GPU, libraries), runs warm-up and steps, and returns the results
/// with the work done per step. Errors: `unavailable` without a GPU, `unsupported` if memory is
/// short, `internal` for CUDA's own.
#pragma once

#include "workloads/builtin/run_request.h"

namespace perfgate::builtin {

[[nodiscard]] Result<ProcessResults> run_transformer_decode(const RunRequest& request);
[[nodiscard]] Result<ProcessResults> run_transformer_prefill(const RunRequest& request);
[[nodiscard]] Result<ProcessResults> run_gemm(const RunRequest& request);
[[nodiscard]] Result<ProcessResults> run_stream(const RunRequest& request);
[[nodiscard]] Result<ProcessResults> run_control(const RunRequest& request);

/// Dispatches on request.kind; `usage` for a kind of the catalogue that has no function here, and
/// for faults that do not fit it (fault_rules.h).
[[nodiscard]] Result<ProcessResults> run_kind(const RunRequest& request);

/// Times the library's proposals for every product of the kind and returns the best of each.
[[nodiscard]] Result<TuningTable> tune_kind(const RunRequest& request);
/// The same for transformer_decode, timed as part of the whole step.
[[nodiscard]] Result<TuningTable> tune_decode_step(const RunRequest& request);

/// Compares the GPU with the CPU reference and prints each relative error; `invalid_measurement` on
/// a mismatch. Kinds: transformer_decode, transformer_prefill, gemm; for the first two the single
/// kernels are checked too, and faults in layers that keep the result may be planted.
[[nodiscard]] Status check_kind(const RunRequest& request);

}  // namespace perfgate::builtin
