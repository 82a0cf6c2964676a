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
  const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
  const std::string next = "\n" + std::string(start + 2, ' ');
  out += line.substr(0, start);
  line.remove_prefix(start);
  width -= std::min(start, width);
  std::size_t used = 0;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    const std::size_t wanted = render::display_width(word);
    if (used > 0 && used + 1 + wanted > width) {
      out += next;
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

std::string wrapped(std::string_view text, int width, bool (*wraps)(std::string_view)) {
  const auto columns = static_cast<std::size_t>(std::max(width, 1));
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (wraps(line) && render::display_width(line) > columns) {
      append_wrapped(out, line, columns);
    } else {
      out += line;
    }
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

std::string wrapped_message(std::string_view text, int width) {
  return wrapped(text, width, is_sentence);
}

std::string wrapped_text(std::string_view text, int width) {
  return wrapped(text, width, [](std::string_view) { return true; });
}

}  // namespace perfgate::cli
