/// Characters that a terminal or a page does not show as themselves: C1 controls, soft hyphen,
/// zero-width characters, fillers, line separators, bidirectional controls, variation selectors and
/// tags (Unicode TR 36; Default_Ignorable_Code_Point of DerivedCoreProperties.txt, and U+2800, a
/// symbol without ink). Text from outside never passes them on.
#pragma once

namespace perfgate {

/// C0 controls and DEL are the caller's: where a line break is wanted, it is one of them.
[[nodiscard]] constexpr bool is_deceptive(char32_t code_point) {
  const auto within = [code_point](char32_t first, char32_t last) {
    return code_point >= first && code_point <= last;
  };
  return within(0x80, 0x9F) || code_point == 0xAD || code_point == 0x34F || code_point == 0x61C ||
         within(0x115F, 0x1160) || within(0x17B4, 0x17B5) || within(0x180B, 0x180F) ||
         within(0x200B, 0x200F) || within(0x2028, 0x202E) || within(0x2060, 0x206F) ||
         code_point == 0x2800 || code_point == 0x3164 || within(0xFE00, 0xFE0F) ||
         code_point == 0xFEFF || code_point == 0xFFA0 || within(0xFFF0, 0xFFFB) ||
         within(0x1BCA0, 0x1BCA3) || within(0x1D173, 0x1D17A) || within(0xE0000, 0xE0FFF);
}

}  // namespace perfgate
