/// HTML out of text from anywhere: escaping, names, tables. Pure. Internal to the folder.
///
/// What is called `text` is raw and is escaped where it is put into the page; what is called
/// `markup` is HTML already and made by this folder only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perfgate::render::html {

inline constexpr std::string_view kArrow = " \xE2\x86\x92 ";
inline constexpr std::string_view kPlusMinus = "\xC2\xB1";

/// For text and for attribute values in double quotes. Passes `printable` first, so that control
/// and bidirectional characters do not reach the page.
[[nodiscard]] std::string escaped(std::string_view text);

/// The same for a sentence of ours: a number and its per cent sign are not parted.
[[nodiscard]] std::string prose(std::string_view text);

/// "sha256-BASE64=" as a Content-Security-Policy has it, out of hexadecimal digits; "" for none.
[[nodiscard]] std::string policy_hash(std::string_view hex);

/// A name of a program: <code>, shortened, with the whole name to unfold where that lost something.
[[nodiscard]] std::string name_markup(std::string_view name);

/// A small square in the colour of a part ("f0", "i2"), for the eye only.
[[nodiscard]] std::string swatch(std::string_view ink);
/// A bar of `share` (0 to 1) in that colour.
[[nodiscard]] std::string share_bar(double share, std::string_view ink);

struct Column {
  enum class Kind : std::uint8_t {
    text,
    number,  ///< aligned right, and not broken
    name,    ///< of a program, see name_markup
    markup,
    tag,  ///< markup, and not broken
  };
  std::string_view header;
  Kind kind = Kind::text;
};

struct Cell {
  std::string content;            ///< text, or markup in a column of markup
  std::optional<double> value{};  ///< to sort by, where the text does not do
  std::string_view tone{};        ///< class of the cell: "worse", "fail"; of ours
};

struct TableRow {
  std::vector<Cell> cells;
  std::string_view tone{};  ///< class of the row: "strong", "sub"
};

struct Table {
  std::string_view label;  ///< what it shows, for readers who do not see it; of ours
  std::span<const Column> columns;
  std::vector<TableRow> rows;
  bool sortable = false;
};

/// In a container that scrolls sideways, also by keyboard. The first cell of a row heads it. Empty
/// without rows.
[[nodiscard]] std::string table_markup(const Table& table);

/// A row of plain cells.
[[nodiscard]] TableRow plain_row(std::span<const std::string> cells);

/// <section> with a heading; empty without a body. `id` and `title` are ours.
[[nodiscard]] std::string section(std::string_view id, std::string_view title,
                                  const std::string& body);

/// The place of a chart, which the script fills from the data of the same name.
[[nodiscard]] std::string figure(std::string_view chart, std::string_view caption);

[[nodiscard]] std::string paragraph(std::string_view text, std::string_view tone = {});

}  // namespace perfgate::render::html
