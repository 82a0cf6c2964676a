#include "runner/cli/message_text.h"

#include <algorithm>
#include <cstddef>

#include "reporters/render/display_text.h"

namespace perfgate::cli {
namespace {

bool is_sentence(std::string_view line) {
  return line.starts_with("perfgate: ") || line.starts_with("hint: ") ||
         line.find(": error: ") != std::string_view::npos ||
         line.find(": warning: ") != std::string_view::npos;
}

void append_wrapped(std::string& out, std::string_view line, std::size_t width) {
  std::size_t used = 0;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    const std::size_t wanted = render::display_width(word);
    if (used > 0 && used + 1 + wanted > width) {
      out += "\n  ";
      used = 2;
    } else if (used > 0) {
      out += ' ';
      ++used;
    }
    out += word;
    used += wanted;
    line.remove_prefix(std::min(end + 1, line.size()));
  }
}

}  // namespace

std::string wrapped_message(std::string_view text, int width) {
  const auto columns = static_cast<std::size_t>(std::max(width, 1));
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (is_sentence(line) && render::display_width(line) > columns) {
      append_wrapped(out, line, columns);
    } else {
      out += line;
    }
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace perfgate::cli
