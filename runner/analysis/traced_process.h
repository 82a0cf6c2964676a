/// The analysis of one traced run: all its devices, its counts and its verdict.
#pragma once

#include "runner/analysis/analyze.h"
#include "runner/analysis/families.h"

namespace perfgate::analysis {

[[nodiscard]] Result<TracedProcess> analyze_traced(const AnalysisInput& input,
                                                   const TracedInput& traced,
                                                   const Classifier& classifier);

/// The captures without those that have nothing to say beside one whose window opened: of a program
/// that replaced itself by the one that was traced, and of processes that help without a GPU (a
/// compiler, a data loader).
[[nodiscard]] std::vector<const Capture*> captures_that_count(
    std::span<const Capture* const> captures);

/// Median over the untraced processes of each one's median over steps [first, first + count); 0 if
/// a process does not have all of them. `count` 0: over all steps.
[[nodiscard]] double untraced_step_ms(const TimingSamples& timing, std::int64_t first,
                                      std::int64_t count);

}  // namespace perfgate::analysis
