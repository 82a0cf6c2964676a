#include "workloads/spec/diagnostic.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "workloads/spec/utf8.h"

namespace perfgate::workloads {
namespace {

constexpr std::size_t kMostShown = 20;
constexpr std::size_t kExcerptCharacters = 76;
constexpr std::string_view kIndent = "    ";

/// The line's first characters, at most `most`; what is no printable character becomes '?', so that
/// a terminal is not led astray.
std::vector<std::string> characters_of(std::string_view line, std::size_t most) {
  std::vector<std::string> characters;
  while (!line.empty() && characters.size() < most) {
    const std::size_t length = character_length(line);
    characters.push_back(line.front() == '\t' ? " "
                         : length == 0        ? "?"
                                              : printable(line.substr(0, length)));
    line.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return characters;
}

/// The text in lines of at most 76 characters, broken at spaces, each indented.
std::string wrapped(std::string_view text) {
  std::string lines;
  int used = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::string_view word = text.substr(start, end - start);
    const int width = count_characters(word);
    const bool fits = used > 0 && used + 1 + width <= static_cast<int>(kExcerptCharacters);
    if (fits) {
      lines += ' ';
    } else {
      if (used > 0) lines += '\n';
      lines += kIndent;
    }
    used = fits ? used + 1 + width : width;
    lines += word;
    start = end + 1;
  }
  return lines + '\n';
}

/// Source line and caret line, each with its line break.
std::string excerpt(std::string_view line, Position at) {
  const auto wanted = static_cast<std::size_t>(std::max(at.column, 1) - 1);
  // No more than is shown: the line may be all of a file that is too large to read.
  const std::vector<std::string> characters = characters_of(line, wanted + kExcerptCharacters);
  const auto caret = std::min(wanted, characters.size());
  std::size_t first = 0;
  if (caret >= kExcerptCharacters - 8) first = caret - kExcerptCharacters / 2;
  const std::size_t last = std::min(characters.size(), first + kExcerptCharacters);
  std::string text{kIndent};
  for (std::size_t i = first; i < last; ++i) text += characters[i];
  const auto width = std::clamp<std::size_t>(static_cast<std::size_t>(std::max(at.width, 1)), 1,
                                             std::max<std::size_t>(last - caret, 1));
  text += '\n';
  text += kIndent;
  text.append(caret - first, ' ');
  text += '^';
  text.append(width - 1, '~');
  return text + '\n';
}

}  // namespace

std::string_view to_string(Severity severity) {
  return severity == Severity::error ? "error" : "warning";
}

std::string_view source_line(std::string_view source, int number) {
  for (int line = 1; !source.empty(); ++line) {
    const std::size_t end = source.find('\n');
    if (line == number) {
      std::string_view found = source.substr(0, end);
      if (found.ends_with('\r')) found.remove_suffix(1);
      return found;
    }
    if (end == std::string_view::npos) break;
    source.remove_prefix(end + 1);
  }
  return {};
}

std::string render(const Diagnostic& diagnostic, std::string_view source, std::string_view path) {
  std::string text{path};
  text +=
      ':' + std::to_string(diagnostic.at.line) + ':' + std::to_string(diagnostic.at.column) + ": ";
  text += to_string(diagnostic.severity);
  text += ": " + diagnostic.message + '\n';
  const std::string_view line = source_line(source, diagnostic.at.line);
  if (!line.empty()) text += excerpt(line, diagnostic.at);
  if (!diagnostic.hint.empty()) text += wrapped(diagnostic.hint);
  return text;
}

std::string render(std::span<const Diagnostic> diagnostics, std::string_view source,
                   std::string_view path) {
  std::vector<const Diagnostic*> ordered;
  for (const Diagnostic& diagnostic : diagnostics) ordered.push_back(&diagnostic);
  std::ranges::stable_sort(ordered, {}, [](const Diagnostic* diagnostic) {
    return std::pair{diagnostic->at.line, diagnostic->at.column};
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(ordered.size(), kMostShown); ++i) {
    text += render(*ordered[i], source, path);
  }
  if (ordered.size() > kMostShown) {
    text += "and " + std::to_string(ordered.size() - kMostShown) + " more\n";
  }
  return text;
}

void Problems::error(Position at, std::string_view message, std::string_view hint) {
  errors.push_back({Severity::error, at, printable(message), printable(hint)});
}

void Problems::warning(Position at, std::string_view message, std::string_view hint) {
  warnings.push_back({Severity::warning, at, printable(message), printable(hint)});
}

}  // namespace perfgate::workloads
