/// Aligned tables for a terminal, used by several commands. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reporters/render/display_text.h"

namespace perfgate::render {

struct Column {
  enum class Align : std::uint8_t { left, right };
  /// How a cell gives way when the table is too wide. Columns with `none` give way last.
  enum class Cut : std::uint8_t { none, end, middle, kernel };

  std::string header;
  Align align = Align::left;
  Cut cut = Cut::none;
};

/// Header line, then one line a row, each at most `style.width` columns; two spaces between
/// columns, no trailing spaces. Missing cells are empty; cells are made printable. Without rows:
/// the header alone.
[[nodiscard]] std::string render_table(std::span<const Column> columns,
                                       std::span<const std::vector<std::string>> rows,
                                       const TerminalStyle& style);

/// False: cells have to be cut for it.
[[nodiscard]] bool fits_table(std::span<const Column> columns,
                              std::span<const std::vector<std::string>> rows,
                              const TerminalStyle& style);

}  // namespace perfgate::render
