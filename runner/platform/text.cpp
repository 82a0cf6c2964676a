#include "runner/platform/text.h"

namespace perfgate::platform {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// Length of the valid UTF-8 character at the front; 0 = invalid (RFC 3629, table 3-7 of Unicode).
std::size_t character_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) length = 2;
  if (first >= 0xE0 && first <= 0xEF) length = 3;
  if (first >= 0xF0 && first <= 0xF4) length = 4;
  if (length == 0 || text.size() < length) return 0;
  if (first == 0xE0) low = 0xA0;   // no overlong forms
  if (first == 0xED) high = 0x9F;  // no surrogates
  if (first == 0xF0) low = 0x90;
  if (first == 0xF4) high = 0x8F;  // nothing above U+10FFFF
  const auto second = static_cast<unsigned char>(text[1]);
  if (second < low || second > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (!is_continuation(text[i])) return 0;
  }
  return length;
}

/// Length of a terminal control sequence at the front (ECMA-48 CSI, or ESC and one byte); 0 = none.
std::size_t escape_length(std::string_view text) {
  if (text[0] != '\x1B') return 0;
  if (text.size() < 2) return 1;
  if (text[1] != '[') return 2;
  std::size_t length = 2;
  while (length < text.size() && (text[length] < '@' || text[length] > '~')) {
    const bool parameter = text[length] >= ' ' && text[length] <= '?';
    if (!parameter) return length;
    ++length;
  }
  return length < text.size() ? length + 1 : length;
}

}  // namespace

std::string sanitize_output(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    if (const std::size_t escape = escape_length(bytes); escape > 0) {
      bytes.remove_prefix(escape);
      continue;
    }
    const char first = bytes.front();
    const std::size_t length = character_length(bytes);
    if (length == 0) {
      out += kReplacement;
    } else if (first == '\r') {
      if (bytes.size() < 2 || bytes[1] != '\n') out += '\n';
    } else if (length > 1 || first == '\n' || first == '\t' || (first >= ' ' && first != '\x7F')) {
      out += bytes.substr(0, length);
    }
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string utf8_tail(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  text.remove_prefix(text.size() - max_bytes);
  const std::size_t line = text.find('\n');
  if (line != std::string_view::npos && line + 1 < text.size()) {
    return std::string(text.substr(line + 1));
  }
  while (!text.empty() && is_continuation(text.front())) text.remove_prefix(1);
  return std::string(text);
}

}  // namespace perfgate::platform
