/// NVTX range names without their indices. Pure.
#pragma once

#include <string>
#include <string_view>

namespace perfgate::analysis {

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
