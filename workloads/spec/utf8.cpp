#include "workloads/spec/utf8.h"

#include <algorithm>

#include "runner/model/deceptive.h"

namespace perfgate::workloads {
namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

}  // namespace

char32_t code_point_of(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return lead;
  char32_t value = lead & (0xFFU >> (character.size() + 1));
  for (const char byte : character.substr(1)) {
    value = (value << 6U) | (static_cast<unsigned char>(byte) & 0x3FU);
  }
  return value;
}

std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80U) return 1;
  if (lead < 0xC2U || lead > 0xF4U) return 0;
  const std::size_t length = lead >= 0xF0U ? 4 : lead >= 0xE0U ? 3 : 2;
  if (text.size() < length || !std::ranges::all_of(text.substr(1, length - 1), continues)) return 0;
  const bool overlong = (lead == 0xE0U && byte(1) < 0xA0U) || (lead == 0xF0U && byte(1) < 0x90U);
  const bool surrogate = lead == 0xEDU && byte(1) >= 0xA0U;
  const bool beyond = lead == 0xF4U && byte(1) >= 0x90U;
  return overlong || surrogate || beyond ? 0 : length;
}

int count_characters(std::string_view text) {
  return static_cast<int>(text.size()) - static_cast<int>(std::ranges::count_if(text, continues));
}

std::string_view clipped(std::string_view text, std::size_t most) {
  std::size_t end = std::min(text.size(), most);
  while (end > 0 && end < text.size() && continues(text[end])) --end;
  return text.substr(0, end);
}

std::string excerpt_of(std::string_view text) {
  static constexpr std::size_t kLongest = 64;
  if (text.size() <= kLongest) return std::string{text};
  return std::string{clipped(text, kLongest)} + "...";
}

std::string printable(std::string_view text) {
  static constexpr std::size_t kLongest = 400;
  const bool cut = text.size() > kLongest;
  text = clipped(text, kLongest);
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    const char32_t c = length == 0 ? 0 : code_point_of(character);
    shown += c < 0x20 || c == 0x7F || is_deceptive(c) ? std::string_view{"?"} : character;
    text.remove_prefix(character.size());
  }
  return cut ? shown + "..." : shown;
}

}  // namespace perfgate::workloads
