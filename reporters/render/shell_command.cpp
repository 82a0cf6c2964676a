#include "reporters/render/shell_command.h"

#include <utility>

#include "reporters/render/ci_command.h"
#include "reporters/render/display_text.h"

namespace perfgate::render {
namespace {

// The words of a command line, quotes left in place.
std::vector<std::string> quoted_words(std::string_view command) {
  std::vector<std::string> words{std::string()};
  bool quoted = false;
  for (const char c : command) {
    if (c == '\'') quoted = !quoted;
    if (c == ' ' && !quoted) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

// An option and its value are one word: no line ends between them.
std::vector<std::string> with_values(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  bool open = false;
  for (const std::string& word : words) {
    const bool option = word.size() > 2 && word.starts_with("--");
    if (open && !word.starts_with("-")) {
      out.back().append(" ").append(word);
    } else {
      out.push_back(word);
    }
    open = option && word.find('=') == std::string::npos;
  }
  return out;
}

}  // namespace

std::string shell_word(std::string_view text) {
  static constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:,@%";
  if (!text.empty() && !opens_command(text, 0) &&
      text.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(text);
  }
  std::string out = "'";
  for (std::size_t at = 0; at < text.size(); ++at) {
    out += text[at] == '\'' ? std::string("'\\''") : std::string(1, text[at]);
    if (opens_command(text, at)) out += "''";
  }
  return out + "'";
}

std::string run_command(const RunResult& result, std::string_view flags) {
  std::vector<std::string> words = result.command;
  if (words.empty()) {
    words = {"perfgate", "run", result.workload_path.empty() ? "FILE" : result.workload_path};
  }
  std::string command;
  bool placed = flags.empty();
  const auto add = [&](const std::string& word) {
    if (!command.empty()) command += ' ';
    command += word;
  };
  for (const std::string& word : words) {
    if (word == "--" && !std::exchange(placed, true)) add(std::string(flags));
    add(shell_word(word));
  }
  if (!placed) add(std::string(flags));
  return command;
}

std::vector<std::string> command_lines(std::string_view command, std::size_t width) {
  static constexpr std::string_view kGoesOn = " \\";
  std::vector<std::string> lines;
  std::string line;
  for (const std::string& word : with_values(quoted_words(command))) {
    if (line.empty()) {
      line = word;
    } else if (display_width(line) + 1 + display_width(word) + kGoesOn.size() <= width) {
      line.append(" ").append(word);
    } else {
      lines.push_back(line.append(kGoesOn));
      line = word;
    }
  }
  lines.push_back(line);
  return lines;
}

}  // namespace perfgate::render
