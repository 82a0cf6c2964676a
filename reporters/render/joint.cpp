#include "reporters/render/joint.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reporters/render/screen.h"
#include "reporters/render/shell_command.h"

namespace perfgate::render {
namespace {

std::string words_of(std::string verdict) {
  std::ranges::replace(verdict, '_', ' ');
  return verdict;
}

std::string label_of(const std::string& verdict) {
  std::string label = words_of(verdict);
  std::ranges::transform(label, label.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return label;
}

Ink ink_of(std::string_view verdict) {
  if (verdict == "pass") return Ink::green;
  return verdict == "fail" || verdict == "invalid" || verdict == "unreadable" ? Ink::red
                                                                              : Ink::yellow;
}

void put_line(Screen& screen, std::span<const JointRow> rows) {
  const JointRow& worst = rows.front();
  screen.labelled(
      label_of(worst.verdict),
      fmt::format("{} result{}: {}{}", rows.size(), rows.size() == 1 ? "" : "s", joint_counts(rows),
                  worst.decided.empty() ? "" : "; " + worst.decided),
      ink_of(worst.verdict));
}

}  // namespace

std::string joint_counts(std::span<const JointRow> rows) {
  std::vector<std::pair<std::string, int>> counts;
  for (const JointRow& row : rows) {
    const auto it = std::ranges::find(counts, row.verdict, &std::pair<std::string, int>::first);
    if (it == counts.end()) {
      counts.emplace_back(row.verdict, 1);
    } else {
      ++it->second;
    }
  }
  std::string text;
  for (const auto& [verdict, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, words_of(verdict));
  }
  return text;
}

std::string joint_line(std::span<const JointRow> rows, const TerminalStyle& style) {
  if (rows.empty()) return {};
  Screen screen(style);
  put_line(screen, rows);
  return std::move(screen).take();
}

std::string render_joint(std::span<const JointRow> rows, const TerminalStyle& style) {
  if (rows.empty()) return {};
  Screen screen(style);
  const JointRow& worst = rows.front();
  put_line(screen, rows);
  screen.blank();
  std::size_t indent = 9;
  for (const JointRow& row : rows) {
    indent = std::max(indent, display_width(words_of(row.verdict)) + 2);
  }
  for (const JointRow& row : rows) {
    screen.labelled(words_of(row.verdict), row.sentence, ink_of(row.verdict), indent);
    for (const std::string& note : row.notes) screen.labelled("", note, Ink::plain, indent);
    screen.labelled("", row.named, Ink::plain, indent);
  }
  if (worst.verdict == "pass" || worst.verdict == "unreadable") return std::move(screen).take();
  screen.blank();
  screen.labelled("next", worst.next.empty() ? "Read the first one's report:"
                                             : worst.next + ". The first one's report:");
  static constexpr std::size_t kIndent = 9;
  const std::string command =
      "perfgate report " + printable(shell_word(worst.named), style.unicode);
  for (const std::string& piece : command_lines(command, screen.width() - kIndent)) {
    screen.whole(std::string(kIndent, ' ') + piece);
  }
  return std::move(screen).take();
}

}  // namespace perfgate::render
