#include "reporters/render/display_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "reporters/render/ci_command.h"
#include "runner/model/deceptive.h"

namespace perfgate::render {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct Range {
  char32_t first;
  char32_t last;
};

// The blocks that terminals show two columns wide (Unicode East Asian Width W and F, and emoji), by
// block rather than by character: a name is cut a column early at worst.
constexpr std::array<Range, 11> kWide{{{0x1100, 0x115F},
                                       {0x2E80, 0x303E},
                                       {0x3041, 0xA4CF},
                                       {0xAC00, 0xD7A3},
                                       {0xF900, 0xFAFF},
                                       {0xFE30, 0xFE6F},
                                       {0xFF00, 0xFF60},
                                       {0xFFE0, 0xFFE6},
                                       {0x1F300, 0x1F64F},
                                       {0x1F680, 0x1F9FF},
                                       {0x20000, 0x3FFFD}}};
constexpr std::array<Range, 4> kNoWidth{
    {{0x0300, 0x036F}, {0x1AB0, 0x1AFF}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}}};
template <std::size_t N>
bool within(const std::array<Range, N>& ranges, char32_t c) {
  return std::ranges::any_of(ranges,
                             [c](Range range) { return c >= range.first && c <= range.last; });
}

std::size_t width_of(char32_t c) {
  if (within(kNoWidth, c)) return 0;
  return within(kWide, c) ? 2 : 1;
}

std::string_view ellipsis(bool unicode) { return unicode ? "\u2026" : "..."; }

// The longest prefix of at most `width` columns.
std::string_view prefix(std::string_view text, std::size_t width) {
  std::size_t used = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t next = at;
    used += width_of(next_code_point(text, next));
    if (used > width) break;
    at = next;
  }
  return text.substr(0, at);
}

// The longest suffix of at most `width` columns.
std::string_view suffix(std::string_view text, std::size_t width) {
  std::size_t rest = display_width(text);
  std::size_t at = 0;
  while (rest > width) rest -= width_of(next_code_point(text, at));
  return text.substr(at);
}

// A number and its unit stay together: "0.04 %" never breaks.
bool is_unit_after(std::string_view line, std::string_view word) {
  static constexpr std::array<std::string_view, 16> kUnits{
      "%",  "ms", "us",   "ns",   "s",    "B",    "kB",    "MB",
      "GB", "TB", "kB/s", "MB/s", "GB/s", "TB/s", "GFLOP", "TFLOP/s"};
  if (line.empty() || line.back() < '0' || line.back() > '9') return false;
  word = word.substr(0, word.find_last_not_of(".,;:)") + 1);
  return std::ranges::find(kUnits, word) != kUnits.end();
}

// Moves the last word of `line` to the line after it.
std::string take_last_word(std::string& line) {
  const std::size_t space = line.rfind(' ');
  if (space == std::string::npos) return {};
  std::string word = line.substr(space + 1) + " ";
  line.erase(space);
  return word;
}

}  // namespace

char32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return text[at++] & 0x7F;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  static constexpr std::array<char32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  char32_t value = first & (0xFFU >> (length + 1));
  bool good = first >= 0xC2 && first <= 0xF4 && at + length <= text.size();
  for (std::size_t i = 1; good && i < length; ++i) {
    good = (byte(at + i) & 0xC0U) == 0x80U;
    value = (value << 6U) | (byte(at + i) & 0x3FU);
  }
  good =
      good && value >= kSmallest[length] && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
  at += good ? length : 1;
  return good ? value : kReplacement;
}

void append_utf8(std::string& out, char32_t c) {
  const auto put = [&out](char32_t value) {
    out += static_cast<char>(static_cast<unsigned char>(value));
  };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0U | (c >> 6U));
    put(0x80U | (c & 0x3FU));
  } else if (c < 0x10000) {
    put(0xE0U | (c >> 12U));
    put(0x80U | ((c >> 6U) & 0x3FU));
    put(0x80U | (c & 0x3FU));
  } else {
    put(0xF0U | (c >> 18U));
    put(0x80U | ((c >> 12U) & 0x3FU));
    put(0x80U | ((c >> 6U) & 0x3FU));
    put(0x80U | (c & 0x3FU));
  }
}

std::string printable(std::string_view text, bool unicode) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const bool broken = opens_command(text, at);
    const char32_t c = next_code_point(text, at);
    if (c == '\n' || c == '\r' || c == '\t') {
      out += ' ';
    } else if (c < 0x20 || (c >= 0x7F && c < 0xA0) || is_deceptive(c) || (!unicode && c >= 0x80)) {
      out += '?';
    } else {
      append_utf8(out, c);
    }
    if (broken) out += ' ';
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    shown += printable(text.substr(0, end), true);
    if (end == std::string_view::npos) break;
    shown += '\n';
    text.remove_prefix(end + 1);
  }
  return shown;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) width += width_of(next_code_point(text, at));
  return width;
}

std::string cut_end(std::string_view text, std::size_t width, bool unicode) {
  if (display_width(text) <= width) return std::string(text);
  const std::string_view mark = ellipsis(unicode);
  const std::size_t mark_width = display_width(mark);
  if (width <= mark_width) return std::string(prefix(text, width));
  return std::string(prefix(text, width - mark_width)).append(mark);
}

std::string cut_middle(std::string_view text, std::size_t width, bool unicode) {
  if (display_width(text) <= width) return std::string(text);
  const std::string_view mark = ellipsis(unicode);
  const std::size_t mark_width = display_width(mark);
  if (width <= mark_width + 2) return std::string(prefix(text, width));
  const std::size_t tail = (width - mark_width) / 2;
  const std::string_view head = prefix(text, width - mark_width - tail);
  return std::string(head).append(mark).append(suffix(text, tail));
}

std::string pad_right(std::string text, std::size_t width) {
  const std::size_t used = display_width(text);
  if (used < width) text.append(width - used, ' ');
  return text;
}

std::string pad_left(std::string text, std::size_t width) {
  const std::size_t used = display_width(text);
  if (used < width) text.insert(0, width - used, ' ');
  return text;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width, bool unicode) {
  std::vector<std::string> lines{std::string()};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = cut_middle(text.substr(at, end - at), width, unicode);
    at = end + 1;
    if (word.empty()) continue;
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (display_width(line) + 1 + display_width(word) <= width) {
      line.append(1, ' ').append(word);
    } else {
      const std::string number = is_unit_after(line, word) ? take_last_word(line) : "";
      lines.push_back(number + word);
    }
  }
  return lines;
}

std::string bar(double share, std::size_t cells, bool unicode) {
  if (!(share > 0.0)) return {};
  static constexpr std::array<std::string_view, 8> kEighths{"",       "\u258F", "\u258E", "\u258D",
                                                            "\u258C", "\u258B", "\u258A", "\u2589"};
  const double exact = std::min(share, 1.0) * static_cast<double>(cells);
  std::string out;
  if (!unicode) {
    const auto full = static_cast<std::size_t>(std::lround(exact));
    return full == 0 ? "." : std::string(full, '#');
  }
  const auto eighths = static_cast<std::size_t>(std::max(1L, std::lround(exact * 8.0)));
  for (std::size_t i = 0; i < eighths / 8; ++i) out += "\u2588";
  return out.append(kEighths[eighths % 8]);
}

}  // namespace perfgate::render
