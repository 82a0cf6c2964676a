/// Step times out of a command's standard output: `results: {json: POINTER}` and `results: {regex:
/// RE2}`.
#pragma once

#include "runner/measure/measure.h"
#include "runner/platform/interrupt.h"

namespace perfgate::cli {

/// json: the pointer names an array of numbers (a step each, ms), or one number, which is by that
/// the mean of the measured steps. regex: every match of the one group is a step in ms, in order.
///
/// Steps one by one are as many as the measured ones, or as the warm-up and the measured ones
/// together: then the first `warmup` are dropped. Any other number is an error, since nobody knows
/// which of them were warm. Errors: `invalid_measurement` with what was found instead;
/// `interrupted` once cancelled, which is looked at between two matches or lines. The time is
/// linear in the text for a pattern that ends where its match ends; one that looks on to the end of
/// the text after each match costs matches x text, and Ctrl-C ends it.
[[nodiscard]] Result<ProcessResults> extract_results(const CommandRun& command,
                                                     const StepsSpec& steps,
                                                     std::string_view stdout_text,
                                                     const platform::Cancellation& cancellation);

}  // namespace perfgate::cli
