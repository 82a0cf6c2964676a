/// Accepted regressions in the reports: which rows passed by a line of perfgate-accepts.yaml, and
/// what became of each line. Pure; nothing is escaped yet.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/run_result.h"

namespace perfgate::render {

/// The line that this row passed by, or null.
[[nodiscard]] const AcceptUse* accepted_by(const RunResult& result, const Comparison& row);
/// Rows that passed by a line, and lines that accepted other work of the step.
[[nodiscard]] std::size_t accepted_count(const RunResult& result);
/// A line of perfgate-accepts.yaml that accepts nothing any more: unused, or past its last day.
[[nodiscard]] bool has_stale_accepts(const RunResult& result);
/// "accepted", else outcome_word.
[[nodiscard]] std::string verdict_word(const RunResult& result, const Comparison& row);

struct AcceptedLine {
  std::string_view label;  ///< "accepted", "exceeded", "expired", "stale"
  std::string text;        ///< "step_time_p50 up to 4.62 ms until 2027-03-31, owner @team: ..."
};
/// What needs eyes first: exceeded, accepted, expired, stale. Beyond `most` one line counts the
/// rest.
[[nodiscard]] std::vector<AcceptedLine> accepted_lines(const RunResult& result, std::size_t most);

}  // namespace perfgate::render
