#include "reporters/render/screen.h"

#include <algorithm>
#include <vector>

namespace perfgate::render {
namespace {

constexpr int kLeastWidth = 60;

std::string_view escape_of(Ink ink) {
  switch (ink) {
    case Ink::plain: return "";
    case Ink::bold: return "\033[1m";
    case Ink::green: return "\033[1;32m";
    case Ink::red: return "\033[1;31m";
    case Ink::yellow: return "\033[1;33m";
    case Ink::cyan: return "\033[36m";
    case Ink::dim: return "\033[2m";
  }
  return "";
}

}  // namespace

Screen::Screen(const TerminalStyle& style)
    : style_(style), width_(static_cast<std::size_t>(std::max(style.width, kLeastWidth))) {
  style_.width = static_cast<int>(width_);
}

std::string Screen::inked(std::string_view text, Ink ink) const {
  if (!style_.colour || ink == Ink::plain || text.empty()) return std::string(text);
  return std::string(escape_of(ink)).append(text).append("\033[0m");
}

void Screen::line(std::string_view text, Ink ink) {
  std::string shown = cut_end(text, width_, style_.unicode);
  shown.erase(shown.find_last_not_of(' ') + 1);
  out_ += inked(shown, ink) + "\n";
  ++lines_;
}

void Screen::put(std::string_view label, Ink label_ink, std::size_t indent, std::string_view before,
                 std::string_view text, std::size_t most_lines) {
  const std::size_t room = width_ - indent - before.size();
  std::vector<std::string> lines = wrap(printable(text, style_.unicode), room, style_.unicode);
  if (lines.size() > most_lines) {
    // The cut is visible: the last line that fits ends in an ellipsis.
    std::string& last = lines[most_lines - 1];
    last = cut_end(last + " " + lines[most_lines] + std::string(width_, ' '), room, style_.unicode);
    lines.resize(most_lines);
  }
  std::string start = inked(label, label_ink) + std::string(indent - display_width(label), ' ');
  for (const std::string& piece : lines) {
    out_.append(start).append(before).append(piece).append("\n");
    start = std::string(indent, ' ');
    ++lines_;
  }
}

void Screen::labelled(std::string_view label, std::string_view text, Ink label_ink,
                      std::size_t least_indent, std::size_t most_lines) {
  const std::size_t indent =
      std::max(least_indent, display_width(label) + (label.ends_with(' ') ? 0 : 1));
  put(label, label_ink, indent, "", text, most_lines);
}

void Screen::quoted(std::string_view label, std::string_view text, Ink label_ink,
                    std::size_t most_lines) {
  put(label, label_ink, display_width(label), "| ", text, most_lines);
}

void Screen::paragraph(std::string_view text, Ink ink) {
  for (const std::string& piece : wrap(printable(text, style_.unicode), width_, style_.unicode)) {
    line(piece, ink);
  }
}

void Screen::whole(std::string_view text) {
  out_.append(text).append("\n");
  ++lines_;
}

void Screen::three(std::string_view before, std::string_view marked, Ink ink,
                   std::string_view after) {
  std::string text = std::string(before).append(marked).append(after);
  text.erase(text.find_last_not_of(' ') + 1);
  const bool whole = text.size() >= before.size() + marked.size();
  if (display_width(text) > width_ || !whole) return line(text);
  out_ +=
      std::string(before) + inked(marked, ink) + text.substr(before.size() + marked.size()) + "\n";
  ++lines_;
}

void Screen::heading(std::string_view text) {
  blank();
  paragraph(text, Ink::bold);
}

void Screen::block(std::string_view text) {
  out_ += text;
  lines_ += static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace perfgate::render
