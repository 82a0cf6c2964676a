/// What to do about a run that cannot be compared with its baseline. Pure.
#pragma once

#include "reporters/render/next_action.h"
#include "runner/model/run_result.h"

namespace perfgate::render {

/// By the environment's differences, or by why a row was not compared.
[[nodiscard]] NextAction after_not_comparable(const RunResult& result);

}  // namespace perfgate::render
