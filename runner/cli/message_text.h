/// Messages on standard error as a terminal shows them. Pure.
#pragma once

#include <string>
#include <string_view>

namespace perfgate::cli {

/// The lines of a message in at most `width` columns: broken at spaces, a longer word (a path)
/// stays whole, what goes on stands two columns in. Lines that a place in a file is shown by stay
/// as they are: a caret points into them. Piped, a message is not wrapped at all: it is searched
/// and copied.
[[nodiscard]] std::string wrapped_message(std::string_view text, int width);

}  // namespace perfgate::cli
