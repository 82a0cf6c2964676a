/// result.json: everything one run found, as "perfgate.result/1". Pure.
///
/// Writing is deterministic to the byte: keys in fixed order, one line per innermost object or
/// array, numbers in their shortest form that reads back to the same value. What is not finite is
/// written as null and reads back as NaN. Text that is not UTF-8 gets U+FFFD.
///
/// Reading gives back all that was written, with one exception by design: the single steps of a
/// process stay in its results file; `ProcessRecord::summary` has their median and number.
/// `families`, `idle`, the `n` of a metric, and `change` and `within_noise` of a ledger's values
/// are there for other readers; they follow from the rest and are only checked to be present.
///
/// `ledger` (null: nothing to compare with) is where the change of a step went, as
/// runner/model/ledger.h has it: {base, head, step, rows[], established, problem, work}; `rows[]`
/// are {part, name, ms {base, head, half_width, change, within_noise}, kernels[], places[],
/// gaps[]}. `diagnosis[]` are {rule, cause, confidence, evidence[], lever, explains_ms}, the most
/// telling first. Results of earlier perfgates have neither.
///
/// Errors: not JSON, a missing key, a wrong type or an unknown word is `corrupt` and names the key
/// ("metrics[2].unit is missing"); another schema is `unsupported`. Unknown keys are ignored.
#pragma once

#include <string>
#include <string_view>

#include "runner/model/result.h"
#include "runner/model/run_result.h"

namespace perfgate::render {

[[nodiscard]] std::string to_result_json(const RunResult& result);
[[nodiscard]] Result<RunResult> from_result_json(std::string_view text);

}  // namespace perfgate::render
