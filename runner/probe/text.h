/// Text conversions of the probe, pure.
#pragma once

#include <string>
#include <string_view>

namespace perfgate::probe {

/// UTF-32 (Linux `wchar_t`) to UTF-8. Surrogates and values beyond U+10FFFF become U+FFFD. Null
/// gives "".
[[nodiscard]] std::string to_utf8(const wchar_t* text);

/// Quoted for a JSON string: quotes, backslashes and control characters escaped.
[[nodiscard]] std::string json_quoted(std::string_view text);

}  // namespace perfgate::probe
