/// Text in a terminal: how wide it is, how it is cut, wrapped and made harmless. Pure.
///
/// Widths are display columns: East Asian wide characters take two, combining marks none. Text from
/// outside (kernel names, a program's last words, branch names) passes `printable` first.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace perfgate::render {

/// How a terminal is written to. Colour only when the caller found a terminal that wants it.
struct TerminalStyle {
  bool colour = false;
  int width = 80;       ///< columns; below 60 the layout is that of 60
  bool unicode = true;  ///< false: bars, ellipses and everything else in ASCII
};

/// One code point of UTF-8 at `at`, which moves behind it; a byte that is not valid UTF-8 yields
/// U+FFFD.
[[nodiscard]] char32_t next_code_point(std::string_view text, std::size_t& at);
void append_utf8(std::string& out, char32_t code_point);

/// Control characters, escape sequences, bidirectional overrides and invalid bytes: none passes.
/// Line breaks and tabs become spaces. Without `unicode` whatever is not ASCII becomes '?'.
[[nodiscard]] std::string printable(std::string_view text, bool unicode);

/// The same of each line: line breaks stay, for text that is a text and not one value.
[[nodiscard]] std::string printable_lines(std::string_view text);

[[nodiscard]] std::size_t display_width(std::string_view text);

/// At most `width` columns: cut at the end, or in the middle, with an ellipsis in the gap.
[[nodiscard]] std::string cut_end(std::string_view text, std::size_t width, bool unicode);
[[nodiscard]] std::string cut_middle(std::string_view text, std::size_t width, bool unicode);

[[nodiscard]] std::string pad_right(std::string text, std::size_t width);  ///< text, then spaces
[[nodiscard]] std::string pad_left(std::string text, std::size_t width);   ///< spaces, then text

/// Breaks at spaces, not between a number and its unit; a word longer than the width is cut. Never
/// empty.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width, bool unicode);

/// A horizontal bar of `share` (0 to 1) of `cells` columns, not padded. A share above 0 is always
/// visible.
[[nodiscard]] std::string bar(double share, std::size_t cells, bool unicode);

}  // namespace perfgate::render
