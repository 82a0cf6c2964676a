/// One answer for several results: the worst first, with how many there are of each. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reporters/render/display_text.h"
#include "runner/model/outcome.h"
#include "runner/model/run_result.h"

namespace perfgate::render {

/// Why there is no outcome.
enum class NoResult : std::uint8_t {
  unreadable,  ///< a result that could not be read
  error,       ///< a workload that came to no result
};

/// One result's part, worst first in the list.
struct JointRow {
  std::string named;                        ///< as the user named the result
  std::variant<NoResult, Outcome> verdict;  ///< see verdict_word
  std::string sentence;                     ///< joint_sentence, or why it could not be read
  std::vector<std::string> notes{};         ///< what joining changed, a sentence each
};

/// "fail", "not_comparable", "unreadable", "error": as documents have it.
[[nodiscard]] std::string_view verdict_word(const JointRow& row);
/// "not comparable", and "NOT COMPARABLE".
[[nodiscard]] std::string verdict_words(const JointRow& row);
[[nodiscard]] std::string verdict_label(const JointRow& row);

/// What a result's report opens with, its cause, and of a pass what its gate could see.
[[nodiscard]] std::string joint_sentence(const RunResult& result);

/// "1 fail, 2 pass" in the order of the rows.
[[nodiscard]] std::string joint_counts(std::span<const JointRow> rows);

/// "FAIL  3 results: 1 fail, 2 pass" of the worst first, and a line break.
[[nodiscard]] std::string joint_line(std::span<const JointRow> rows, const TerminalStyle& style);

/// The joint line, then each result with its sentence and notes, wrapped, and
/// where to read on. Empty for no rows.
[[nodiscard]] std::string render_joint(std::span<const JointRow> rows, const TerminalStyle& style);

}  // namespace perfgate::render
