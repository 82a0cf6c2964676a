/// JSON as text, the same bytes each time: the writer behind result.json and other commands'
/// `--json`.
///
/// Two spaces of indentation; a container without containers stands on one line. Doubles are
/// written by shortest round trip, those that are not finite as null. Strings are made valid UTF-8.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace perfgate::render {

/// Ends with a newline.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& value);

/// With its quotes, whatever bytes it holds: each that is not UTF-8 becomes U+FFFD.
void append_json_string(std::string& out, std::string_view text);

}  // namespace perfgate::render
