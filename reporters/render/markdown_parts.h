/// Tables and folds of GitHub's Markdown, with texts from outside made harmless. Pure. Internal to
/// the folder.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perfgate::render {

/// No single text may eat the whole comment; both are beyond what a reader takes in.
inline constexpr std::size_t kMarkdownNameColumns = 160;
inline constexpr std::size_t kMarkdownTextColumns = 500;

/// Running text, cut at the end.
[[nodiscard]] std::string markdown_prose(std::string_view text);
/// A name as code, cut in the middle.
[[nodiscard]] std::string markdown_name(std::string_view text);

struct MarkdownColumn {
  std::string_view header;
  bool right = false;
  bool is_code = false;
};

/// Header, rule and a line for each row; cells beyond the columns are left out.
[[nodiscard]] std::string markdown_table(std::span<const MarkdownColumn> columns,
                                         std::span<const std::vector<std::string>> rows);

/// A body that is closed until it is asked for; empty stays empty. `title` is escaped already.
[[nodiscard]] std::string markdown_folded(std::string_view title, const std::string& body);

}  // namespace perfgate::render
