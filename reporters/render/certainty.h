/// How sure a verdict is, in words. Pure.
#pragma once

#include <string>

#include "runner/model/run_result.h"

namespace perfgate::render {

/// Story::certainty. `row` is `headline_row(result)`; empty where the sentence has said it all.
[[nodiscard]] std::string certainty_of(const RunResult& result, const Comparison* row);

}  // namespace perfgate::render
