/// Small kernels that come with another kernel for matrix products. Pure.
#pragma once

#include <string>

#include "runner/analysis/diagnosis/unclaimed.h"

namespace perfgate::analysis {

/// Adds new conversions of number formats and new activations (work that the earlier kernel had
/// fused) to a part, as far as they come about as often as its `calls` products a step. Returns the
/// sentence on them; empty = there are none.
[[nodiscard]] std::string add_companions(const Unclaimed& unclaimed, Part& part, double calls);

}  // namespace perfgate::analysis
