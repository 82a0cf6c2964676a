/// Glob patterns over NVTX range names, and names without their indices. Pure.
#pragma once

#include <string>
#include <string_view>

namespace perfgate::analysis {

/// `*` takes any run of characters, `?` one character; everything else is literal. Linear in
/// practice: only the last star backtracks.
[[nodiscard]] inline bool glob_matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || (pattern[p] == text[t] && pattern[p] != '*'))) {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

/// "layer 12" -> "layer *", "decode#3" -> "decode#*": instances of one range share a row.
[[nodiscard]] inline std::string collapse_indices(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) out.push_back(c);
    if (digit && (out.empty() || out.back() != '*')) out.push_back('*');
  }
  return out;
}

}  // namespace perfgate::analysis
