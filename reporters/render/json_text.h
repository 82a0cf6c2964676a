/// JSON as text, the same bytes each time: the writer behind result.json and other commands'
/// `--json`.
///
/// Two spaces of indentation; a container without containers stands on one line. Doubles are
/// written by shortest round trip, those that are not finite as null. Strings are made valid UTF-8.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace perfgate::render {

/// Ends with a newline.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& value);

}  // namespace perfgate::render
