/// The rules of the house as functions over text, so that the rules have tests of their own.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace perfgate::architecture {

/// One row of CONTRIBUTING.md's module table.
struct Room {
  std::string folder;  ///< "runner/model"
  std::set<std::string>
      includes;  ///< names as the table writes them: "model", "capture"; "everything"
  std::set<std::string> vendors;  ///< "zstd", "nlohmann", ...
};

struct SourceFile {
  std::string path;  ///< from the root, with '/'
  std::string text;
};

/// Rows of the first table with the columns module, holds, may include, vendor.
[[nodiscard]] std::vector<Room> parse_rooms(std::string_view contributing);

/// The room a file lives in: the longest folder that is a prefix. Empty for tests and ci.
[[nodiscard]] std::string room_of(const std::vector<Room>& rooms, std::string_view path);

/// One line per violation: "path:line: what: what to do". Empty = clean.
[[nodiscard]] std::vector<std::string> check_includes(const std::vector<Room>& rooms,
                                                      const SourceFile& file);
[[nodiscard]] std::vector<std::string> check_tokens(const SourceFile& file);
[[nodiscard]] std::vector<std::string> check_size(const SourceFile& file);

}  // namespace perfgate::architecture
