/// Markdown cut between its rows: lines of a table and items of a list stay whole, and a table has
/// its header. Pure. Internal to the folder.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace perfgate::render {

struct RowCut {
  std::string text;
  std::size_t rows_left_out = 0;
};

/// As many lines from the beginning as fit into `most` bytes, up to a row or a sentence; all of
/// them if they fit. Not for blocks of code or HTML, which end with their last line only.
[[nodiscard]] RowCut cut_at_rows(std::string_view text, std::size_t most);

}  // namespace perfgate::render
