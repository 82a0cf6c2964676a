/// Named causes as sentences. Pure; nothing is escaped yet.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runner/model/run_result.h"

namespace perfgate::render {

/// The first diagnosis with its strongest evidence, and what else is another program: "CUDA graphs
/// are off (certain): launch_calls 1 -> 355 a step; changed: program". Empty without a diagnosis.
[[nodiscard]] std::string named_cause(const RunResult& result);

/// Of that what stands behind the name: "launch_calls 1 -> 355 a step; changed: program".
[[nodiscard]] std::string named_cause_rest(const RunResult& result);

/// A report names no more; of what is left out it says how many. The rules name three at most.
inline constexpr std::size_t kCausesShown = 12;
/// Its evidence, the last of which may be "and 7 more".
[[nodiscard]] std::vector<std::string> listed_evidence(const Diagnosis& diagnosis);

/// "CUDA graphs are off (certain, +1.020 ms)"
[[nodiscard]] std::string diagnosis_title(const Diagnosis& diagnosis);
/// The title, with all evidence: "...: evidence; evidence. Lever: ..."
[[nodiscard]] std::string diagnosis_words(const Diagnosis& diagnosis);
/// The lever as a part of a sentence: without its full stop; may be empty.
[[nodiscard]] std::string lever_words(const Diagnosis& diagnosis);

/// What is said where no cause is named.
[[nodiscard]] std::string no_cause_words(const Ledger& ledger);

}  // namespace perfgate::render
