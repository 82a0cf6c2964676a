#include "runner/model/reason_text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace perfgate {

std::string quantity(double value, std::string_view unit) {
  std::array<char, 400> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::general, 5);
  std::string text(buffer.data(), end.ptr);
  if (unit.empty() || unit == "1") return text;
  return text + " " + std::string(unit);
}

const RuleFinding* broken_limit_of(const Comparison& row) {
  const auto found = std::ranges::find_if(row.findings, [](const RuleFinding& finding) {
    return finding.code == RuleCode::above_limit || finding.code == RuleCode::below_limit;
  });
  return found == row.findings.end() ? nullptr : &*found;
}

std::string text_of(const Comparison& row, const RuleFinding& finding) {
  const bool above = finding.code == RuleCode::above_limit;
  if (!finding.limit || (!above && finding.code != RuleCode::below_limit)) return {};
  return row.metric + " " + quantity(row.head, row.unit) + " is " + (above ? "above" : "below") +
         " the limit of " + quantity(*finding.limit, row.unit);
}

std::string text_of(const MeasurementProblem& problem) {
  if (problem.code != ProblemCode::recording_incomplete) return problem.detail;
  return "the recording is not complete: " + problem.detail;
}

std::string text_of(const OutputCheck& output) {
  if (output.state != OutputCheck::State::differs) return {};
  return "the traced process gave another output (hash " + output.traced + ", untraced " +
         output.untraced + ")";
}

}  // namespace perfgate
