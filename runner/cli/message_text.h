/// Messages on standard error as a terminal shows them, and sentences on standard output. Pure.
#pragma once

#include <string>
#include <string_view>

namespace perfgate::cli {

/// The lines of a message in at most `width` columns: broken at spaces, a longer word (a path)
/// stays whole, what goes on stands two columns in. Lines that a place in a file is shown by stay
/// as they are: a caret points into them. Piped, a message is not wrapped at all: it is searched
/// and copied.
[[nodiscard]] std::string wrapped_message(std::string_view text, int width);

/// Each line in at most `width` columns, likewise; what goes on stands two columns further in than
/// its line. For sentences, on a terminal and piped: JSON, YAML and tables do not pass here.
[[nodiscard]] std::string wrapped_text(std::string_view text, int width);

}  // namespace perfgate::cli
