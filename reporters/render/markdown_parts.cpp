#include "reporters/render/markdown_parts.h"

#include <fmt/format.h>

#include "reporters/render/display_text.h"
#include "reporters/render/markdown_escape.h"

namespace perfgate::render {

std::string markdown_prose(std::string_view text) {
  return markdown_text(cut_end(printable(text, true), kMarkdownTextColumns, true));
}

std::string markdown_name(std::string_view text) {
  return markdown_code(cut_middle(printable(text, true), kMarkdownNameColumns, true));
}

std::string markdown_table(std::span<const MarkdownColumn> columns,
                           std::span<const std::vector<std::string>> rows) {
  std::string out = "|";
  std::string rule = "|";
  for (const MarkdownColumn& column : columns) {
    out += fmt::format(" {} |", column.header);
    rule += column.right ? " ---: |" : " --- |";
  }
  out += "\n" + rule + "\n";
  for (const std::vector<std::string>& row : rows) {
    out += "|";
    for (std::size_t i = 0; i < columns.size() && i < row.size(); ++i) {
      out +=
          fmt::format(" {} |", columns[i].is_code ? markdown_name(row[i]) : markdown_prose(row[i]));
    }
    out += "\n";
  }
  return out;
}

std::string markdown_folded(std::string_view title, const std::string& body) {
  if (body.empty()) return {};
  return fmt::format("\n<details><summary>{}</summary>\n\n{}\n</details>\n", title, body);
}

}  // namespace perfgate::render
