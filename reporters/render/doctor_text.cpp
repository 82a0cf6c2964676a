#include "reporters/render/doctor_text.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reporters/render/screen.h"

namespace perfgate::render {
namespace {

using State = DoctorCheck::State;

constexpr std::size_t kMostLines = 4;

struct StateWord {
  State state;
  const char* word;
  Ink ink;
};
constexpr std::array<StateWord, 4> kWords{{{State::problem, "PROBLEM", Ink::red},
                                           {State::warning, "warning", Ink::yellow},
                                           {State::unknown, "unknown", Ink::yellow},
                                           {State::ok, "ok", Ink::green}}};

const StateWord& word_for(State state) {
  const auto* it = std::ranges::find(kWords, state, &StateWord::state);
  return it == kWords.end() ? kWords.back() : *it;
}

}  // namespace

std::string render_doctor(std::span<const DoctorCheck> checks, const TerminalStyle& style) {
  Screen screen(style);
  std::size_t name_width = 0;
  for (const DoctorCheck& check : checks) {
    name_width = std::max(name_width, display_width(printable(check.name, style.unicode)));
  }
  name_width = std::min<std::size_t>(name_width, screen.width() / 3);
  for (const DoctorCheck& check : checks) {
    const StateWord& word = word_for(check.state);
    const std::size_t indent = 9 + name_width + 2;
    const std::string name =
        cut_end(printable(check.name, style.unicode), name_width, style.unicode);
    const std::vector<std::string> found =
        wrap(printable(check.found, style.unicode), screen.width() - indent, style.unicode);
    screen.three("", pad_right(word.word, 9), word.ink,
                 pad_right(name, name_width + 2) + found.front());
    for (std::size_t i = 1; i < std::min(found.size(), kMostLines); ++i) {
      screen.line(std::string(indent, ' ') + found[i]);
    }
    if (check.todo.empty()) continue;
    screen.labelled(std::string(9, ' ') + "->", check.todo, Ink::plain, 12, kMostLines);
  }
  std::vector<std::string> counts;
  for (const StateWord& word : kWords) {
    const auto count = std::ranges::count(checks, word.state, &DoctorCheck::state);
    if (count > 0) counts.push_back(fmt::format("{} {}", count, word.word));
  }
  screen.blank();
  screen.line(counts.empty() ? "nothing was checked" : fmt::format("{}", fmt::join(counts, ", ")));
  return std::move(screen).take();
}

}  // namespace perfgate::render
