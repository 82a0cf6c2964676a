/// What was wrong with a process, and what mends it. Pure.
#pragma once

#include <string>

#include "runner/model/timing.h"

namespace perfgate::render {

/// The problem of a silent process ends with the remedy in brackets (runner/measure/judge.h); else,
/// and where there are no brackets, `remedy` is empty.
struct ProblemParts {
  std::string what;
  std::string remedy;
};
[[nodiscard]] ProblemParts problem_parts(const ProcessRecord& process);

}  // namespace perfgate::render
