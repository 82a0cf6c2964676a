/// One answer for several results: the worst first, with how many there are of each. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reporters/render/display_text.h"

namespace perfgate::render {

/// One result's part, worst first in the list.
struct JointRow {
  std::string named;                 ///< as the user named the result
  std::string verdict;               ///< "fail", "not_comparable", "unreadable"
  std::string sentence;              ///< what the report opens with, or why it could not be read
  std::vector<std::string> notes{};  ///< what joining changed or lacked, a sentence each
  std::string decided{};             ///< beyond the verdict: "decided by --on-inconclusive pass"
  std::string next{};                ///< what to do before the report is read; empty = read it
};

/// "1 fail, 2 pass" in the order of the rows.
[[nodiscard]] std::string joint_counts(std::span<const JointRow> rows);

/// "FAIL  3 results: 1 fail, 2 pass" of the worst first, and a line break.
[[nodiscard]] std::string joint_line(std::span<const JointRow> rows, const TerminalStyle& style);

/// The joint line, then each result with its sentence and notes, wrapped, and
/// where to read on. Empty for no rows.
[[nodiscard]] std::string render_joint(std::span<const JointRow> rows, const TerminalStyle& style);

}  // namespace perfgate::render
