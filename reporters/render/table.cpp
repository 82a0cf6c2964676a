#include "reporters/render/table.h"

#include <algorithm>
#include <numeric>

#include "reporters/render/kernel_name.h"

namespace perfgate::render {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastColumn = 4;

std::string cell(std::span<const std::string> row, std::size_t column) {
  return column < row.size() ? row[column] : std::string();
}

// Takes columns off the widest one that may give way, until the table fits.
void shrink(std::vector<std::size_t>& widths, std::span<const Column> columns, std::size_t room,
            bool only_flexible) {
  const auto total = [&] {
    return std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
  };
  while (total() > room) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (only_flexible && columns[i].cut == Column::Cut::none) continue;
      if (widths[i] <= kLeastColumn) continue;
      if (widest == widths.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == widths.size()) return;
    --widths[widest];
  }
}

std::string fit(const std::string& text, const Column& column, std::size_t width, bool unicode) {
  switch (column.cut) {
    case Column::Cut::middle: return cut_middle(printable(text, unicode), width, unicode);
    case Column::Cut::kernel: return short_kernel_name(text, width, unicode);
    case Column::Cut::none:
    case Column::Cut::end: break;
  }
  return cut_end(printable(text, unicode), width, unicode);
}

std::string line_of(std::span<const std::string> row, std::span<const Column> columns,
                    std::span<const std::size_t> widths, const TerminalStyle& style) {
  std::string line;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string text = fit(cell(row, i), columns[i], widths[i], style.unicode);
    const bool right = columns[i].align == Column::Align::right;
    if (i > 0) line.append(kGap, ' ');
    line += right ? pad_left(text, widths[i]) : pad_right(text, widths[i]);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

// What each column takes uncut.
std::vector<std::size_t> natural_widths(std::span<const Column> columns,
                                        std::span<const std::vector<std::string>> rows,
                                        bool unicode) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::size_t width = display_width(columns[i].header);
    for (const auto& row : rows)
      width = std::max(width, display_width(printable(cell(row, i), unicode)));
    widths.push_back(width);
  }
  return widths;
}

}  // namespace

bool fits_table(std::span<const Column> columns, std::span<const std::vector<std::string>> rows,
                const TerminalStyle& style) {
  const std::vector<std::size_t> widths = natural_widths(columns, rows, style.unicode);
  const std::size_t gaps = widths.empty() ? 0 : kGap * (widths.size() - 1);
  return std::accumulate(widths.begin(), widths.end(), gaps) <=
         static_cast<std::size_t>(std::max(style.width, 1));
}

std::string render_table(std::span<const Column> columns,
                         std::span<const std::vector<std::string>> rows,
                         const TerminalStyle& style) {
  if (columns.empty()) return {};
  std::vector<std::string> headers;
  for (const Column& column : columns) headers.push_back(column.header);
  std::vector<std::size_t> widths = natural_widths(columns, rows, style.unicode);
  const auto room = static_cast<std::size_t>(std::max(style.width, 1));
  shrink(widths, columns, room, /*only_flexible=*/true);
  shrink(widths, columns, room, /*only_flexible=*/false);
  std::vector<Column> plain(columns.begin(), columns.end());
  for (Column& column : plain) column.cut = Column::Cut::end;
  std::string out = line_of(headers, plain, widths, style);
  for (const auto& row : rows) out += line_of(row, columns, widths, style);
  return out;
}

}  // namespace perfgate::render
