/// `--json`: what a program reads instead of the table.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace perfgate::cli {

using Json = nlohmann::ordered_json;

/// Indented, with a line break at the end; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] inline std::string json_text(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace perfgate::cli
