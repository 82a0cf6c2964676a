/// Lines of a terminal report as they are put together: labels, wrapping, colour. Internal to the
/// folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "reporters/render/display_text.h"

namespace perfgate::render {

enum class Ink : std::uint8_t { plain, bold, green, red, yellow, cyan, dim };

class Screen {
 public:
  static constexpr std::size_t kWhole = std::numeric_limits<std::size_t>::max();

  explicit Screen(const TerminalStyle& style);

  [[nodiscard]] const TerminalStyle& style() const { return style_; }
  [[nodiscard]] bool unicode() const { return style_.unicode; }
  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] std::size_t lines() const { return lines_; }

  /// One line, cut to the width; `text` holds no escape sequences.
  void line(std::string_view text, Ink ink = Ink::plain);
  void blank() { line(""); }
  /// A label and its text, wrapped under itself, `indent` columns in (more if the label needs it).
  /// Only beyond `most_lines` it is cut, for what is not ours. Text from outside is made printable
  /// here.
  void labelled(std::string_view label, std::string_view text, Ink label_ink = Ink::bold,
                std::size_t indent = 9, std::size_t most_lines = kWhole);
  /// As `labelled`, of words that are a program's: a bar stands before each line, so that none of
  /// them looks like ours or begins with what a runner of CI obeys.
  void quoted(std::string_view label, std::string_view text, Ink label_ink, std::size_t most_lines);
  /// A text of its own in one ink, wrapped.
  void paragraph(std::string_view text, Ink ink);
  /// A line that is not cut, whatever its width: a command is there to be copied.
  void whole(std::string_view text);
  /// A line whose cells were laid out already, one of them inked: `before`, `inked`, `after`.
  void three(std::string_view before, std::string_view inked, Ink ink, std::string_view after);
  /// A blank line and the text, made printable and wrapped.
  void heading(std::string_view text);
  /// Text of whole lines that fit already (a table).
  void block(std::string_view text);

  [[nodiscard]] std::string take() && { return std::move(out_); }

 private:
  void put(std::string_view label, Ink label_ink, std::size_t indent, std::string_view before,
           std::string_view text, std::size_t most_lines);
  [[nodiscard]] std::string inked(std::string_view text, Ink ink) const;

  TerminalStyle style_;
  std::size_t width_;
  std::size_t lines_ = 0;
  std::string out_;
};

}  // namespace perfgate::render
