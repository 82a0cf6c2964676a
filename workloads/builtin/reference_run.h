/// `perfgate-workload reference`: the CPU reference alone, without a GPU.
#pragma once

#include <string>

#include "workloads/builtin/run_request.h"

namespace perfgate::builtin {

/// The tokens of request.steps growing decode steps, a line each, or of one prefill. `usage` for a
/// kind without tokens and for a preset that is too large for the CPU.
[[nodiscard]] Result<std::string> reference_tokens(const RunRequest& request);

/// Presets up to this many LM-head weights are computed on the CPU.
inline constexpr std::int64_t kReferenceHeadMax = 10'000'000;

}  // namespace perfgate::builtin
