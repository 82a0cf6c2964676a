#include "runner/model/reason_text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace perfgate {

namespace {

constexpr int kDigits = 5;
constexpr int kMostDigits = 17;  // what a double holds

std::string digits_of(double value, std::string_view unit, int digits) {
  std::array<char, 400> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::general, digits);
  std::string text(buffer.data(), end.ptr);
  if (unit.empty() || unit == "1") return text;
  return text + " " + std::string(unit);
}

}  // namespace

std::string quantity(double value, std::string_view unit) {
  return digits_of(value, unit, kDigits);
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
  // As many digits as tell the two apart.
  int digits = kDigits;
  const auto shown = [&](double value) { return digits_of(value, row.unit, digits); };
  while (digits < kMostDigits && shown(row.head) == shown(*finding.limit)) ++digits;
  return row.metric + " " + shown(row.head) + " is " + (above ? "above" : "below") +
         " the limit of " + shown(*finding.limit);
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
