/// Making safe text of what a child printed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace perfgate::platform {

/// Valid UTF-8 fit for a terminal and a report: each invalid byte becomes U+FFFD, terminal control
/// sequences (ESC [ ...) and other control characters go, a carriage return becomes a newline.
[[nodiscard]] std::string sanitize_output(std::string_view bytes);

/// The last `max_bytes` of valid UTF-8 at most, cut at a character, at a line's start where one is
/// in reach.
[[nodiscard]] std::string utf8_tail(std::string_view text, std::size_t max_bytes);

}  // namespace perfgate::platform
