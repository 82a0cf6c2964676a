#include "reporters/render/ci_command.h"

#include <algorithm>
#include <array>

namespace perfgate::render {
namespace {

// What a runner takes off the beginning of a line: White_Space of Unicode, as .NET trims it. The
// line separators among it are no matter, `printable` takes them.
bool ends_in_blank(std::string_view text) {
  static constexpr std::array<std::string_view, 5> kBlanks{"\u00A0", "\u1680", "\u202F", "\u205F",
                                                           "\u3000"};
  if (static_cast<unsigned char>(text.back()) <= ' ') return true;
  if (text.size() < 2) return false;
  const auto ends = [text](std::string_view blank) { return text.ends_with(blank); };
  if (std::ranges::any_of(kBlanks, ends)) return true;
  // U+2000 to U+200A, spaces of many widths
  return text.size() >= 3 && text.substr(text.size() - 3, 2) == "\xE2\x80" &&
         static_cast<unsigned char>(text.back()) <= 0x8A;
}

}  // namespace

bool opens_command(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("::")) {
    const std::size_t before = text.substr(0, at).find_last_not_of(':');
    return before == std::string_view::npos || ends_in_blank(text.substr(0, before + 1));
  }
  if (!rest.starts_with("##") || rest.size() < 3) return false;
  const char next = rest[2];
  return next == '[' || (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
}

}  // namespace perfgate::render
