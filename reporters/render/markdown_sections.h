/// Sections that report.md and the comment are put together from: each says a thing once, in
/// GitHub's Markdown. Empty where there is nothing to say. Pure. Internal to the folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/run_result.h"

namespace perfgate::render {

/// A command to be copied: never shortened in the middle.
[[nodiscard]] std::string markdown_command(std::string_view text);

/// The compared rows that stand in the open, at most `most`, and those that are folded; each worst
/// first.
struct ComparedRows {
  std::vector<const Comparison*> open;
  std::vector<const Comparison*> folded;
};
[[nodiscard]] ComparedRows compared_rows(const RunResult& result, std::size_t most);
enum class ComparedColumns : std::uint8_t {
  all,     ///< metric, baseline, now, change with its interval, verdict, bounds, finds from
  narrow,  ///< without the bounds, and without "finds from" where no row has it
};
/// Without a baseline metric, now, verdict.
[[nodiscard]] std::string compared_table(const RunResult& result,
                                         std::span<const Comparison* const> shown,
                                         ComparedColumns columns);
/// The table of the open rows, how many more changed, and how many there are of each verdict.
[[nodiscard]] std::string changed_section(const RunResult& result, const ComparedRows& rows,
                                          ComparedColumns columns);

/// The store's runs of the headline's metric, as a paragraph.
[[nodiscard]] std::string history_section(const RunResult& result);

/// What became of the lines of perfgate-accepts.yaml, as a list.
[[nodiscard]] std::string accepted_list(const RunResult& result);
/// Step time, floor, capture and machine, as a list.
[[nodiscard]] std::string facts_list(const RunResult& result);
/// The last lines that the failed process printed, as a block.
[[nodiscard]] std::string last_words_block(const RunResult& result);
/// Families and idle causes of a traced step, against the baseline.
[[nodiscard]] std::string breakdown_table(const RunResult& result);
/// Where the GPU waits, kernels and ranges of this run, a fold each; at most `most` rows of each.
[[nodiscard]] std::string traced_details(const RunResult& result, std::size_t most);
/// The same of a traced process.
[[nodiscard]] std::string traced_details(const TracedProcess& process, std::size_t most);
/// What differs from the baseline's environment, then the facts of this one; at most `most` rows of
/// each.
[[nodiscard]] std::string environment_tables(const RunResult& result, std::size_t most);
[[nodiscard]] std::string notes_list(const RunResult& result, std::size_t most);

}  // namespace perfgate::render
