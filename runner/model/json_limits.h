/// How deep and how long JSON out of a file may be. nlohmann's parser has no limit of its own and
/// its printer calls itself for each level, so that a line of brackets would end the stack.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace perfgate {

/// What perfgate writes itself is less than 10 deep.
inline constexpr std::size_t kDeepestJson = 64;
/// Of one JSON text: a line where a file has one a line, else the file.
inline constexpr std::size_t kLongestJsonBytes = std::size_t{64} << 20U;

/// How deep arrays and objects nest at most: 0 for "7", 2 for "[[]]". What is no JSON has a depth,
/// too: brackets outside of texts are counted.
[[nodiscard]] inline std::size_t json_depth(std::string_view text) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_text = !in_text;
    } else if (!in_text && (c == '[' || c == '{')) {
      deepest = std::max(deepest, ++depth);
    } else if (!in_text && (c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

/// Why a JSON text must not be parsed: "nested deeper than 64 levels". Empty: it may be.
[[nodiscard]] inline std::optional<std::string> json_beyond_limits(std::string_view text) {
  if (text.size() > kLongestJsonBytes) {
    return "longer than " + std::to_string(kLongestJsonBytes >> 20U) + " MiB";
  }
  if (json_depth(text) > kDeepestJson) {
    return "nested deeper than " + std::to_string(kDeepestJson) + " levels";
  }
  return std::nullopt;
}

}  // namespace perfgate
