/// What a gate lets pass and what it can see, in words: its bounds, the slowdown that it finds in
/// 95 of 100 runs, and what would make it see more. Shared by the reports. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reporters/render/detail_rows.h"
#include "reporters/render/next_action.h"
#include "runner/model/run_result.h"

namespace perfgate::render {

/// A gate that finds a change only from here on sees next to nothing.
inline constexpr double kNearBlindFrom = 0.25;
/// An automatic tolerance from here on is wide: what passes below it is worth a word.
inline constexpr double kWideTolerance = 0.05;

/// "margin 5 % (auto), tolerance 15 % (auto)"; where the gate's at_least is the larger of the two,
/// "at_least 0.05 ms" in a bound's place. Empty for a row without bounds.
[[nodiscard]] std::string bounds_words(const Comparison& row);
/// "finds from +0.31 %", "finds from +710 % (near blind)"; empty = not known.
[[nodiscard]] std::string finds_words(const Comparison& row);
/// Both, with a semicolon between them; what is empty is left out.
[[nodiscard]] std::string sight_words(const Comparison& row);
/// What a change for the worse is in this row: of another metric than the step time no slowdown.
inline constexpr std::string_view kSlowdown = "a slowdown";
[[nodiscard]] std::string_view worse_words(const Comparison& row);
[[nodiscard]] bool is_near_blind(const Comparison& row);

/// It passed, and its whole interval lies on the worse side: it is worse, by no more than a bound.
[[nodiscard]] bool is_worse_within(const Comparison& row);
/// "within the tolerance of 15 % (auto)": the bound that such a row keeps.
[[nodiscard]] std::string kept_bound(const Comparison& row);

/// {margin, tolerance, finds from}; "" where there is none.
[[nodiscard]] Row sight_cells(const Comparison& row);

/// Of each gate that is near blind, why, and what would help.
[[nodiscard]] std::vector<std::string> sight_notes(const RunResult& result);

/// What to do after a pass that hides a change, or could: one sentence; empty = nothing.
[[nodiscard]] std::string after_hidden(const RunResult& result, const Comparison& row);

}  // namespace perfgate::render
