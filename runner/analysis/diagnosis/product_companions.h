/// Small kernels that come with another kernel for matrix products. Pure.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "runner/analysis/diagnosis/unclaimed.h"

namespace perfgate::analysis {

/// The evidence of matrix products by other kernels. Adds to the part, beside those kernels, what
/// comes of them: new conversions of number formats, activations (work that the earlier kernel had
/// fused) and memsets (of split products) as far as they come about as often as the products, the
/// gaps around those, and what kernels that ran beside the earlier ones lose (add_ended_overlap).
[[nodiscard]] std::vector<std::string> product_sentences(const Unclaimed& unclaimed,
                                                         const std::set<std::size_t>& kernels,
                                                         Part& part);

}  // namespace perfgate::analysis
