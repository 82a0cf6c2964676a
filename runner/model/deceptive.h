/// Characters that a terminal or a page does not show as themselves: C1 controls, soft hyphen,
/// zero-width characters, line separators, bidirectional controls (Unicode TR 36). Text from
/// outside never passes them on.
#pragma once

namespace perfgate {

/// C0 controls and DEL are the caller's: where a line break is wanted, it is one of them.
[[nodiscard]] constexpr bool is_deceptive(char32_t code_point) {
  const auto within = [code_point](char32_t first, char32_t last) {
    return code_point >= first && code_point <= last;
  };
  return within(0x80, 0x9F) || code_point == 0xAD || code_point == 0x61C ||
         within(0x200B, 0x200F) || within(0x2028, 0x202E) || within(0x2060, 0x206F) ||
         code_point == 0xFEFF;
}

}  // namespace perfgate
