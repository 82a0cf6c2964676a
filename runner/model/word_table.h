/// The words that an enum has in files and reports, as a table that both directions read.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "runner/model/result.h"

namespace perfgate {

template <typename Enum, std::size_t N>
using Words = std::array<std::pair<Enum, std::string_view>, N>;

template <typename Enum, std::size_t N>
[[nodiscard]] std::string_view word_of(const Words<Enum, N>& words, Enum value) {
  for (const auto& [known, word] : words) {
    if (known == value) return word;
  }
  return "unknown";
}

template <typename Enum, std::size_t N>
[[nodiscard]] Result<Enum> value_of(const Words<Enum, N>& words, std::string_view word,
                                    const char* what) {
  for (const auto& [value, known] : words) {
    if (known == word) return value;
  }
  return Error{.code = ErrorCode::corrupt,
               .message = "unknown " + std::string(what) + " '" + std::string(word) + "'",
               .hint = "the file was written by a newer perfgate or edited by hand",
               .context = {}};
}

/// Of codes that later perfgates add to: their words are read, and not understood.
template <typename Enum, std::size_t N>
[[nodiscard]] Enum known_or_unknown(const Words<Enum, N>& words, std::string_view word) {
  for (const auto& [value, known] : words) {
    if (known == word) return value;
  }
  return Enum::unknown;
}

}  // namespace perfgate
