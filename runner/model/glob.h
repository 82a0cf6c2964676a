/// Shell-style patterns for NVTX range names, one meaning for the probe, the measuring and the
/// analysis: `*` any run of characters, `?` one character, `[abc]`,
/// `[a-z]` and `[!a-z]` one of a set, `\x` the character x itself. A `[` without `]` is an ordinary
/// character. Works on bytes; linear in memory and at worst quadratic in time, never exponential.
#pragma once

#include <string_view>

namespace perfgate {

[[nodiscard]] bool glob_matches(std::string_view pattern, std::string_view text);

}  // namespace perfgate
