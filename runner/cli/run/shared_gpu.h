/// Whether the GPU was this run's alone. Pure.
#pragma once

#include <string>

#include "runner/model/run_result.h"

namespace perfgate::cli {

/// Another program's company during the untraced processes, in words. Each was repeated twice
/// before it was kept so. Fewer than half of them: a passing visitor, which the spread shows and a
/// note names. Empty: nobody is known to have been there.
[[nodiscard]] std::string shared_gpu(const Measurement& measurement);

}  // namespace perfgate::cli
