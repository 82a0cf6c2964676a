/// Step times out of a command's standard output: `results: {json: POINTER}` and `results: {regex:
/// RE2}`.
#pragma once

#include "runner/measure/measure.h"

namespace perfgate::cli {

/// json: the pointer names one number (the mean step, ms) or an array of numbers (a step each, ms).
/// regex: every match of the one group is a step in ms, in order. Errors: `invalid_measurement`
/// with what was found instead.
[[nodiscard]] Result<ProcessResults> extract_results(const CommandRun& command,
                                                     std::string_view stdout_text);

}  // namespace perfgate::cli
