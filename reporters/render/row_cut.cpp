#include "reporters/render/row_cut.h"

#include <algorithm>
#include <vector>

namespace perfgate::render {
namespace {

bool is_rule(std::string_view line) { return line.starts_with("| ---"); }

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// Behind it the text may end: not behind a table's header or rule, nor behind a blank line.
bool may_end(const std::vector<std::string_view>& lines, std::size_t at) {
  const bool header = at + 1 < lines.size() && is_rule(lines[at + 1]);
  return !header && !is_rule(lines[at]) && lines[at] != "\n";
}

bool is_row(const std::vector<std::string_view>& lines, std::size_t at) {
  const std::size_t start = lines[at].find_first_not_of(' ');
  const bool begins = start != std::string_view::npos &&
                      (lines[at].substr(start).starts_with("- ") || lines[at].starts_with("| "));
  return begins && may_end(lines, at);
}

}  // namespace

RowCut cut_at_rows(std::string_view text, std::size_t most) {
  if (text.size() <= most) return {.text = std::string(text), .rows_left_out = 0};
  const std::vector<std::string_view> lines = lines_of(text);
  std::size_t kept = 0;
  std::size_t size = 0;
  while (kept < lines.size() && size + lines[kept].size() <= most) size += lines[kept++].size();
  while (kept > 0 && !may_end(lines, kept - 1)) size -= lines[--kept].size();
  RowCut cut{.text = std::string(text.substr(0, size)), .rows_left_out = 0};
  for (std::size_t i = kept; i < lines.size(); ++i) cut.rows_left_out += is_row(lines, i) ? 1 : 0;
  cut.rows_left_out = std::max<std::size_t>(cut.rows_left_out, 1);
  return cut;
}

}  // namespace perfgate::render
