#include "reporters/render/kernel_name.h"

#include <cctype>

#include "reporters/render/display_text.h"

namespace perfgate::render {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)::";
// Below this much room, template arguments say nothing.
constexpr std::size_t kLeastTemplateColumns = 6;

bool is_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string without_anonymous(std::string_view name) {
  std::string out(name);
  for (std::size_t at = out.find(kAnonymous); at != std::string::npos;
       at = out.find(kAnonymous, at)) {
    out.erase(at, kAnonymous.size());
  }
  return out;
}

// Template depth by '<' and '>', without those of operators ("operator<", "->").
int depth_change(std::string_view text, std::size_t at) {
  const bool of_operator = at >= 8 && text.substr(at - 8, 8) == "operator";
  if (text[at] == '<') return of_operator ? 0 : 1;
  if (text[at] == '>') return of_operator || (at > 0 && text[at - 1] == '-') ? 0 : -1;
  return 0;
}

// "void f<int>(int)" -> "f<int>"
std::string without_signature(const std::string& name) {
  int depth = 0;
  std::size_t begin = 0;
  std::size_t end = name.size();
  for (std::size_t at = 0; at < name.size(); ++at) {
    depth += depth_change(name, at);
    if (depth != 0) continue;
    if (name[at] == ' ' && at + 1 < name.size()) begin = at + 1;
    if (name[at] == '(') {
      end = at;
      break;
    }
  }
  return begin < end ? name.substr(begin, end - begin) : name;
}

char opening_of(char closing) {
  switch (closing) {
    case '>': return '<';
    case ')': return '(';
    case '}': return '{';
    default: return '\0';
  }
}

// Removes the qualifier that `out` ends with: an identifier, with brackets behind it if there are
// any.
void drop_qualifier(std::string& out) {
  while (!out.empty() && opening_of(out.back()) != '\0') {
    const char closing = out.back();
    int depth = 0;
    do {
      depth += out.back() == closing ? 1 : out.back() == opening_of(closing) ? -1 : 0;
      out.pop_back();
    } while (depth > 0 && !out.empty());
  }
  while (!out.empty() && is_identifier(out.back())) out.pop_back();
}

// "a::b<c::d>" -> "b<d>"
std::string without_namespaces(std::string_view name) {
  std::string out;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (name.substr(at, 2) == "::") {
      drop_qualifier(out);
      ++at;
    } else {
      out += name[at];
    }
  }
  return out;
}

std::string shortened(const std::string& full, std::size_t width, bool unicode) {
  if (display_width(full) <= width) return full;
  std::string name = without_signature(without_anonymous(full));
  if (display_width(name) <= width) return name;
  name = without_namespaces(name);
  if (name.empty()) return cut_middle(full, width, unicode);
  if (display_width(name) <= width) return name;

  const std::size_t open = name.find('<');
  if (open == std::string::npos || open == 0) return cut_middle(name, width, unicode);
  const std::string symbol = name.substr(0, open);
  if (display_width(symbol) + kLeastTemplateColumns > width)
    return cut_middle(symbol, width, unicode);
  return cut_end(name, width - 1, unicode) + ">";
}

}  // namespace

std::string short_kernel_name(std::string_view raw, std::size_t width, bool unicode) {
  // What is left of a name may begin as the whole did not.
  const std::string name = shortened(printable(raw, unicode), width, unicode);
  return cut_end(printable(name, true), width, unicode);
}

}  // namespace perfgate::render
