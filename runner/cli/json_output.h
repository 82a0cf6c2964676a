/// `--json`: what a program reads instead of the table.
#pragma once

#include <cstddef>
#include <string>

#include <nlohmann/json.hpp>

namespace perfgate::cli {

using Json = nlohmann::ordered_json;

/// Indented, with a line break at the end; bytes that are not UTF-8 become U+FFFD. A second '#' in
/// a row is written as its escape: "##[error]" is a command to runners of CI, wherever it stands.
[[nodiscard]] inline std::string json_text(const Json& value) {
  std::string text = value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  for (std::size_t at = text.find("##"); at != std::string::npos; at = text.find("##", at + 1))
    text.replace(at + 1, 1, "\\u0023");
  return text;
}

}  // namespace perfgate::cli
