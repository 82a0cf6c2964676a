#include "workloads/spec/yaml_syntax.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workloads/spec/utf8.h"

namespace perfgate::workloads {
namespace {

/// A tab in the indentation on or before the line where YAML failed is the likely reason.
std::optional<Position> indenting_tab(std::string_view source, int last_line) {
  for (int line = last_line; line >= std::max(1, last_line - 1); --line) {
    const std::string_view text = source_line(source, line);
    const std::size_t indent = std::min(text.find_first_not_of(" \t"), text.size());
    const std::size_t tab = text.substr(0, indent).find('\t');
    if (tab != std::string_view::npos) return Position{line, static_cast<int>(tab) + 1, 1};
  }
  return std::nullopt;
}

/// The character that a value on this line starts with if YAML reserves it, else 0.
char reserved_start(std::string_view line) {
  static constexpr std::string_view kReserved = "*&!%@`|>";
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    const bool value_follows =
        (line[i] == ':' || line[i] == '-' || line[i] == ',') && line[i + 1] == ' ';
    if (!value_follows) continue;
    const std::size_t start = line.find_first_not_of(' ', i + 1);
    if (start != std::string_view::npos && kReserved.find(line[start]) != std::string_view::npos) {
      return line[start];
    }
  }
  return '\0';
}

struct Translation {
  std::string_view theirs;
  std::string_view ours;
  std::string_view hint;
};

constexpr std::array kTranslations{
    Translation{"end of map flow not found", "a '{' is never closed, or a ',' is missing",
                "write {key: value, key: value}"},
    Translation{"end of sequence flow not found", "a '[' is never closed, or a ',' is missing",
                "write [a, b]; put quotes around a text that has '['"},
    Translation{"end of map not found", "this line does not belong to the mapping above it",
                "check its indentation and that each line is 'key: value'"},
    Translation{"end of sequence not found", "this line does not belong to the list above it",
                "check its indentation; each entry of a list starts with '- '"},
    Translation{"illegal map value", "a ':' where no value can stand",
                "check the indentation above; put quotes around a text that has ': '"},
    Translation{"illegal block entry", "a '- ' where no list can stand",
                "check the indentation, or put quotes around the text"},
    Translation{"illegal map key", "a '?' where no key can stand", "put quotes around the text"},
    Translation{"illegal flow end", "a ']' or '}' that nothing opened",
                "remove it, or quote the text"},
    Translation{"illegal EOF in scalar", "a quote is never closed", "close it with the same quote"},
    Translation{"illegal document indicator in scalar", "a quote is never closed",
                "close it with the same quote"},
    Translation{"illegal tab when looking for indentation", "a tab in the indentation",
                "YAML indents with spaces"},
    Translation{"unknown escape character", "an unknown escape in a text with double quotes",
                "use single quotes: in those a '\\' is just a '\\'"},
};

/// A bracket or quote that is open at a place of the source.
struct Opener {
  char sign = '\0';
  Position at;
};

bool is_quote(char c) { return c == '"' || c == '\''; }

/// Opens or closes what the character `c` at `at` opens or closes. `before` is the last character
/// that is no space: a quote counts where a value can start, so that "don't" has none.
void take_character(char c, char before, Position at, std::vector<Opener>& open) {
  if (!open.empty() && is_quote(open.back().sign)) {
    if (c == open.back().sign) open.pop_back();
    return;
  }
  const bool value_starts = std::string_view{"[{,:-\n"}.find(before) != std::string_view::npos;
  if (c == '[' || c == '{' || (is_quote(c) && value_starts)) {
    open.push_back({c, at});
  } else if ((c == ']' || c == '}') && !open.empty()) {
    open.pop_back();
  }
}

/// What is open before `end`, outermost first.
std::vector<Opener> open_before(std::string_view source, Position end) {
  std::vector<Opener> open;
  Position at;
  char before = '\n';
  char previous = '\n';
  for (std::size_t i = 0; i < source.size(); ++i) {
    const char c = source[i];
    if (std::pair{at.line, at.column} >= std::pair{end.line, end.column}) break;
    const char inside = open.empty() ? '\0' : open.back().sign;
    if (c == '#' && !is_quote(inside) && (previous == ' ' || previous == '\n')) {
      i = std::min(source.find('\n', i), source.size()) - 1;
      previous = '\0';
      continue;
    }
    if (c == '\\' && inside == '"') {
      ++i;
      at.column += 2;
      continue;
    }
    take_character(c, before, at, open);
    previous = c;
    if (c != ' ') before = c;
    if (character_length(source.substr(i)) != 0) ++at.column;
    if (c == '\n') at = Position{at.line + 1, 1, 1};
  }
  return open;
}

/// Points at the bracket or quote that is never closed, instead of at the end of the file.
bool report_open(std::string_view message, Position at, Problems& problems) {
  const bool at_end =
      message.starts_with("end of map flow") || message.starts_with("end of sequence flow") ||
      message.starts_with("illegal EOF") || message.starts_with("illegal document indicator");
  const bool wrong_end = message.starts_with("illegal flow end");
  if (!at_end && !wrong_end) return false;
  const std::vector<Opener> open = open_before(problems.source, at);
  if (open.empty()) return false;
  const Opener& last = open.back();
  const std::string sign(1, last.sign);
  const std::string closing = last.sign == '[' ? "]" : last.sign == '{' ? "}" : sign;
  if (wrong_end) {
    problems.error(
        at,
        "the '" + sign + "' on line " + std::to_string(last.at.line) + " is not closed before this",
        "write '" + closing + "' first");
  } else {
    problems.error(last.at, "this " + sign + " is never closed", "close it with " + closing);
  }
  return true;
}

}  // namespace

void report_syntax(std::string_view message, Position at, Problems& problems) {
  if (const auto tab = indenting_tab(problems.source, at.line)) {
    problems.error(*tab, "a tab in the indentation", "YAML indents with spaces");
    return;
  }
  if (const char start = reserved_start(source_line(problems.source, at.line)); start != '\0') {
    problems.error(at, std::string{"a text that starts with '"} + start + "' needs quotes",
                   std::string{"for example '"} + start + "decode', with the quotes");
    return;
  }
  if (report_open(message, at, problems)) return;
  const auto* found = std::ranges::find_if(kTranslations, [&](const Translation& translation) {
    return message.starts_with(translation.theirs);
  });
  if (found == kTranslations.end()) {
    problems.error(at, "not valid YAML: " + std::string{message},
                   "check the quotes and the indentation");
  } else {
    problems.error(at, "not valid YAML: " + std::string{found->ours}, std::string{found->hint});
  }
}

}  // namespace perfgate::workloads
