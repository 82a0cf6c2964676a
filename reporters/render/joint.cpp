#include "reporters/render/joint.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reporters/render/screen.h"
#include "reporters/render/shell_command.h"
#include "reporters/render/sight.h"
#include "reporters/render/story.h"

namespace perfgate::render {
namespace {

Ink ink_of(const JointRow& row) {
  const Outcome* outcome = std::get_if<Outcome>(&row.verdict);
  if (outcome == nullptr || *outcome == Outcome::fail || *outcome == Outcome::invalid)
    return Ink::red;
  return *outcome == Outcome::pass ? Ink::green : Ink::yellow;
}

void put_line(Screen& screen, std::span<const JointRow> rows) {
  const JointRow& worst = rows.front();
  screen.labelled(
      verdict_label(worst),
      fmt::format("{} result{}: {}", rows.size(), rows.size() == 1 ? "" : "s", joint_counts(rows)),
      ink_of(worst));
}

}  // namespace

std::string_view verdict_word(const JointRow& row) {
  if (const Outcome* outcome = std::get_if<Outcome>(&row.verdict)) return to_string(*outcome);
  return row.verdict == decltype(row.verdict)(NoResult::error) ? "error" : "unreadable";
}

std::string verdict_words(const JointRow& row) {
  std::string words(verdict_word(row));
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string verdict_label(const JointRow& row) {
  std::string label = verdict_words(row);
  std::ranges::transform(label, label.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return label;
}

std::string joint_sentence(const RunResult& result) {
  const Story story = tell(result);
  std::string sentence = story.sentence;
  if (!story.cause.empty()) sentence += "; why: " + story.cause;
  // What is green is as good as what it could see.
  const Comparison* row = headline_row(result);
  const bool green = row != nullptr && result.verdict.outcome == Outcome::pass;
  const std::string sight = green ? sight_words(*row) : "";
  return sight.empty() ? sentence : sentence + "; " + sight;
}

std::string joint_counts(std::span<const JointRow> rows) {
  std::vector<std::pair<std::string, int>> counts;
  for (const JointRow& row : rows) {
    const std::string words = verdict_words(row);
    const auto it = std::ranges::find(counts, words, &std::pair<std::string, int>::first);
    if (it == counts.end()) {
      counts.emplace_back(words, 1);
    } else {
      ++it->second;
    }
  }
  std::string text;
  for (const auto& [words, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, words);
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
    indent = std::max(indent, display_width(verdict_words(row)) + 2);
  }
  for (const JointRow& row : rows) {
    screen.labelled(verdict_words(row), row.sentence, ink_of(row), indent);
    for (const std::string& note : row.notes) screen.labelled("", note, Ink::plain, indent);
    screen.labelled("", row.named, Ink::plain, indent);
  }
  const Outcome* outcome = std::get_if<Outcome>(&worst.verdict);
  if (outcome == nullptr || *outcome == Outcome::pass) return std::move(screen).take();
  screen.blank();
  screen.labelled("next", "Read the first one's report:");
  static constexpr std::size_t kIndent = 9;
  const std::string command =
      "perfgate report " + printable(shell_word(worst.named), style.unicode);
  for (const std::string& piece : command_lines(command, screen.width() - kIndent)) {
    screen.whole(std::string(kIndent, ' ') + piece);
  }
  return std::move(screen).take();
}

}  // namespace perfgate::render
