#include "runner/model/glob.h"

#include <cstddef>

namespace perfgate {
namespace {

/// Length of the pattern element at `at` (one character, an escape or a bracket set).
std::size_t element_length(std::string_view pattern, std::size_t at) {
  if (pattern[at] == '\\' && at + 1 < pattern.size()) return 2;
  if (pattern[at] != '[') return 1;
  std::size_t end = at + 1;
  if (end < pattern.size() && pattern[end] == '!') ++end;
  if (end < pattern.size() && pattern[end] == ']') ++end;  // "[]x]" contains a bracket
  while (end < pattern.size() && pattern[end] != ']') ++end;
  return end < pattern.size() ? end - at + 1 : 1;
}

bool set_contains(std::string_view set, char character) {
  const auto byte = [](char c) { return static_cast<unsigned char>(c); };
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (i + 2 < set.size() && set[i + 1] == '-') {
      if (byte(set[i]) <= byte(character) && byte(character) <= byte(set[i + 2])) return true;
      i += 2;
    } else if (set[i] == character) {
      return true;
    }
  }
  return false;
}

bool element_matches(std::string_view element, char character) {
  if (element == "?") return true;
  if (element.size() == 1) return element[0] == character;
  if (element[0] == '\\') return element[1] == character;
  std::string_view set = element.substr(1, element.size() - 2);
  const bool negated = !set.empty() && set[0] == '!';
  if (negated) set.remove_prefix(1);
  return set_contains(set, character) != negated;
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // pattern position after the last star
  std::size_t star_text = 0;                  // where the text after that star is tried next
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      star_text = t;
      continue;
    }
    if (p < pattern.size()) {
      const std::size_t length = element_length(pattern, p);
      if (element_matches(pattern.substr(p, length), text[t])) {
        p += length;
        ++t;
        continue;
      }
    }
    if (star == std::string_view::npos) return false;
    p = star;
    t = ++star_text;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace perfgate
