/// A workload file's YAML as a small tree with positions; the only door to yaml-cpp.
///
/// yaml-cpp's own nodes take a duplicate key, a merge key and a second document in silence and
/// resolve 020 to 16; this tree keeps every scalar as the text it was written as, and refuses the
/// rest: duplicate and merge keys, keys that are not words, anchors and aliases, tags, several
/// documents, bytes that are not UTF-8, control characters, more than 1 MiB, more than 64 levels,
/// more than 1000 entries in one mapping or list.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/spec/diagnostic.h"

namespace perfgate::workloads {

inline constexpr std::size_t kLargestFileBytes = 1U << 20U;
inline constexpr std::size_t kDeepestLevel = 64;
inline constexpr std::size_t kMostEntries = 1000;  ///< of one mapping or list

struct YamlEntry;

struct YamlNode {
  enum class Kind { null, scalar, sequence, mapping };
  Kind kind = Kind::null;
  bool plain = false;  ///< a scalar without quotes
  std::string text;    ///< of a scalar
  Position at;
  std::vector<YamlNode> items;     ///< of a sequence
  std::vector<YamlEntry> entries;  ///< of a mapping, in the order of the file, keys unique

  /// The entry of a mapping, or null.
  [[nodiscard]] const YamlEntry* find(std::string_view key) const;
};

struct YamlEntry {
  std::string key;
  Position at;
  YamlNode value;
};

/// Empty if the text has no usable tree; then `problems` says why. Structural problems that leave a
/// tree (a duplicate key) are reported too, and the tree is returned.
[[nodiscard]] std::optional<YamlNode> parse_yaml(std::string_view text, Problems& problems);

/// "a list", "a mapping", "nothing", "the number 5", "the text 'abc'".
[[nodiscard]] std::string describe(const YamlNode& node);

}  // namespace perfgate::workloads
