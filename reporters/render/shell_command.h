/// Commands that a report proposes, to be copied whole. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/run_result.h"

namespace perfgate::render {

/// The word as a shell reads it back: in quotes where it needs them. What a runner of CI would obey
/// (display_text.h) is broken by a pair of quotes, which a shell takes away.
[[nodiscard]] std::string shell_word(std::string_view word);

/// What measures this workload again, as it was measured (RunResult::command), with `flags` before
/// a command after `--`. Without a recorded command line: "perfgate run FILE".
[[nodiscard]] std::string run_command(const RunResult& result, std::string_view flags = {});

/// The command in lines of at most `width` columns that a shell reads as one: broken between words,
/// with a backslash, an option and its value together. What is longer stays whole.
[[nodiscard]] std::vector<std::string> command_lines(std::string_view command, std::size_t width);

}  // namespace perfgate::render
