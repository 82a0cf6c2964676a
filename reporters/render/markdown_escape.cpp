#include "reporters/render/markdown_escape.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "reporters/render/display_text.h"

namespace perfgate::render {
namespace {

constexpr std::string_view kZeroWidthSpace = "\u200B";
// Signs that start something in Markdown or HTML wherever they stand.
constexpr std::string_view kActive = "&<>|`*[]\\~$";

bool is_word(std::string_view text, std::size_t at) {
  return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0);
}

std::string entity(char c) { return fmt::format("&#{};", static_cast<int>(c)); }

// What GitHub makes an address of beside "://".
bool ends_www(std::string_view text, std::size_t at) {
  return text[at] == '.' && at >= 3 && text.substr(at - 3, 3) == "www";
}

// GitLab's references begin with these, and like GitHub's they are looked for in the rendered text.
bool starts_reference(std::string_view text, std::size_t at) {
  static constexpr std::string_view kSigns = "!%&$~*[";
  const bool named = is_word(text, at + 1) || text.substr(at + 1, 1) == "\"";
  return named && kSigns.find(text[at]) != std::string_view::npos;
}

// "GH-12" is an issue of GitHub's, "GL-12" one of GitLab's.
bool ends_issue_prefix(std::string_view text, std::size_t at) {
  if (text[at] != '-' || at < 2 || at + 1 >= text.size()) return false;
  const auto upper = [&](std::size_t i) {
    return std::toupper(static_cast<unsigned char>(text[i]));
  };
  const bool digit = std::isdigit(static_cast<unsigned char>(text[at + 1])) != 0;
  return digit && upper(at - 2) == 'G' && (upper(at - 1) == 'H' || upper(at - 1) == 'L');
}

// An arrow, as reports write it: nothing that it could close was ever opened.
bool ends_arrow(std::string_view text, std::size_t at) {
  return text[at] == '>' && at >= 2 && text.substr(at - 2, 2) == " -";
}

std::string text_sign(std::string_view text, std::size_t at) {
  const char c = text[at];
  const auto inert = [&](std::string sign) {
    return starts_reference(text, at) || ends_issue_prefix(text, at) ? sign.append(kZeroWidthSpace)
                                                                     : sign;
  };
  if (ends_arrow(text, at)) return ">";
  if (kActive.find(c) != std::string_view::npos || ends_www(text, at)) return inert(entity(c));
  const bool found_anyhow = c == '@' || c == '#' || text.substr(at, 3) == "://";
  if (found_anyhow) return std::string(1, c).append(kZeroWidthSpace);
  // Inside a word an underscore is only an underscore.
  if (c == '_' && !(at > 0 && is_word(text, at - 1) && is_word(text, at + 1))) return entity(c);
  return inert(std::string(1, c));
}

}  // namespace

std::string markdown_text(std::string_view raw) {
  const std::string text = printable(raw, true);
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) out += text_sign(text, at);
  return out;
}

std::string markdown_item(std::string_view raw) {
  const std::string text = printable(raw, true);
  static constexpr std::string_view kStarters = "-+=";
  if (text.empty() || kStarters.find(text.front()) == std::string_view::npos)
    return markdown_text(text);
  return entity(text.front()) + markdown_text(std::string_view(text).substr(1));
}

std::string markdown_code(std::string_view raw) {
  const std::string text = printable(raw, true);
  if (text.find_first_not_of(' ') == std::string::npos) return {};
  if (text.find_first_of("`|\\") == std::string::npos) return "`" + text + "`";
  std::string out = "<code>";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= 0x80 || std::isalnum(byte) != 0 || c == ' ';
    out += plain ? std::string(1, c) : entity(c);
  }
  return out + "</code>";
}

std::string markdown_block(std::string_view raw, std::string_view language) {
  std::string body;
  for (std::size_t at = 0; at < raw.size();) {
    const std::size_t end = std::min(raw.find('\n', at), raw.size());
    body += printable(raw.substr(at, end - at), true) + "\n";
    at = end + 1;
  }
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : body) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
  return fence + std::string(language) + "\n" + body + fence + "\n";
}

}  // namespace perfgate::render
