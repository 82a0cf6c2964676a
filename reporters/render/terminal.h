/// The report for a terminal. Pure.
///
/// The first screen (24 lines of 80 columns) answers: verdict and how sure, why, what to do; step
/// time with its interval against the baseline; the floor and how far from it; whether the capture
/// is valid; where the step goes. Below it: the compared metrics, gap sites, kernels, ranges,
/// environment and notes.
///
/// No line is wider than `style.width`. Text from outside cannot move the cursor or reorder a line.
#pragma once

#include <string>

#include "reporters/render/display_text.h"
#include "runner/model/run_result.h"

namespace perfgate::render {

inline constexpr int kFirstScreenLines = 24;

[[nodiscard]] std::string render_terminal(const RunResult& result, const TerminalStyle& style);

}  // namespace perfgate::render
