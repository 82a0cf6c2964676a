/// Named causes as sentences. Pure; nothing is escaped yet.
#pragma once

#include <string>

#include "runner/model/run_result.h"

namespace perfgate::render {

/// The first diagnosis with its strongest evidence, and what else is another program: "CUDA graphs
/// are off (certain): launch_calls 1 -> 355 a step; changed: program". Empty without a diagnosis.
[[nodiscard]] std::string named_cause(const RunResult& result);

/// Of that what stands behind the name: "launch_calls 1 -> 355 a step; changed: program".
[[nodiscard]] std::string named_cause_rest(const RunResult& result);

/// "CUDA graphs are off (certain, +1.020 ms)"
[[nodiscard]] std::string diagnosis_title(const Diagnosis& diagnosis);
/// The title, with all evidence: "...: evidence; evidence. Lever: ..."
[[nodiscard]] std::string diagnosis_words(const Diagnosis& diagnosis);
/// The lever as a part of a sentence: without its full stop; may be empty.
[[nodiscard]] std::string lever_words(const Diagnosis& diagnosis);

/// What is said where no cause is named.
[[nodiscard]] std::string no_cause_words(const Ledger& ledger);

}  // namespace perfgate::render
