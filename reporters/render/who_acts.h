/// Who is asked to do what the report proposes. Pure.
#pragma once

#include <string>

#include "runner/model/run_result.h"

namespace perfgate::render {

/// "the author of this change", "whoever keeps the baseline", "whoever keeps this machine", "the
/// owner of the workload (@team)", "the reviewer"; empty where nobody has to do anything. `row` is
/// `headline_row(result)`.
[[nodiscard]] std::string who_acts(const RunResult& result, const Comparison* row);

}  // namespace perfgate::render
