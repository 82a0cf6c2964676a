/// Text from outside in GitHub's Markdown: kernel names, branch names, a program's last words.
/// Pure.
///
/// GitHub looks for mentions (@name), issues (#123, GH-123) and bare addresses in the rendered
/// text, so an entity is no protection: a zero-width space behind the sign is, and so is code,
/// where GitHub looks for nothing. GitLab does the same with more signs (!12 ~label %milestone
/// &epic $snippet [issue:12]).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace perfgate::render {

/// For running text and table cells: shows the same characters, means nothing. Line breaks become
/// spaces; control characters and bidirectional overrides become '?'.
[[nodiscard]] std::string markdown_text(std::string_view text);

/// The same at the beginning of a list item or paragraph, where a dash or plus would start a list.
[[nodiscard]] std::string markdown_item(std::string_view text);

/// Inline code, good inside tables too; empty text stays empty. A name with a backtick, pipe or
/// backslash uses the HTML element with entities, because GitHub's tables split at a pipe before
/// they see code.
[[nodiscard]] std::string markdown_code(std::string_view text);

/// A fenced block of the given lines, with a fence longer than any run of backticks in them.
[[nodiscard]] std::string markdown_block(std::string_view lines,
                                         std::string_view language = "text");

}  // namespace perfgate::render
