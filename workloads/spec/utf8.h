/// UTF-8, where the workload file needs it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace perfgate::workloads {

/// Bytes of the character that a non-empty text starts with; 0 if it is none (cut, overlong,
/// surrogate).
[[nodiscard]] std::size_t character_length(std::string_view text);

/// Of one whole character.
[[nodiscard]] char32_t code_point_of(std::string_view character);

/// Characters in well-formed text: its bytes without the continuation bytes.
[[nodiscard]] int count_characters(std::string_view text);

/// The first `most` bytes of a text, not cutting a character.
[[nodiscard]] std::string_view clipped(std::string_view text, std::size_t most);

/// At most 64 bytes of what the user wrote, for a message.
[[nodiscard]] std::string excerpt_of(std::string_view text);

/// One line for a terminal: control characters, bidirectional ones, those without width and bytes
/// that are not UTF-8 become '?', so that what a file holds neither steers the terminal nor hides
/// in it, and nothing is longer than 400 bytes.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace perfgate::workloads
