/// Every key of a workload file, and of the file of accepts: the one table that the parser checks
/// against, that the JSON Schema is made from, and that the template takes its words from.
///
/// A path joins the keys with '.'; "[]" is an entry of a list. What the format has and this version
/// does not act on is in not_built.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perfgate::workloads {

enum class KeyType : std::uint8_t {
  mapping,       ///< fixed keys: the rows below this path
  mapping_list,  ///< a list of mappings; their rows are PATH[].KEY
  text_map,      ///< names of the user's choice, each a text
  parameters,    ///< of the built-in kind, from workloads/kinds
  results,       ///< one of `choices`, or a mapping with one of the rows below
  text,
  text_list,
  boolean,
  integer,   ///< min and max apply
  number,    ///< min and max apply
  looks,     ///< one integer or a rising list of them; min and max apply to each
  choice,    ///< one of `choices`
  duration,  ///< in seconds: 600, "600 s", "10 min"; min and max apply
  bytes,     ///< 2100000000, "2.1 GB", "15 GiB"; min and max apply, here and to all amounts
  bytes_or_auto,
  flops,      ///< "16 GFLOP"
  bandwidth,  ///< "4.8 TB/s"
  rate,       ///< "990 TFLOP/s"
  percent,    ///< "3%" or auto
  quantity,   ///< a number in the unit of the metric beside it
  date,       ///< a day of the calendar: 2027-03-31
};

struct KeyInfo {
  std::string_view path;
  KeyType type = KeyType::text;
  std::string_view doc;
  std::string_view default_text;  ///< as written in YAML; empty = none
  bool required = false;          ///< its parent, if there, must have it
  double min = 0.0;
  double max = 0.0;
  std::span<const std::string_view> choices;

  /// The last key: "measure" of "steps.measure".
  [[nodiscard]] std::string_view name() const;
  /// "steps" of "steps.measure"; empty at the top level.
  [[nodiscard]] std::string_view parent() const;
};

/// In the order in which a file is best written.
[[nodiscard]] std::span<const KeyInfo> key_table();
/// The keys of perfgate-accepts.yaml (accepts_file.h), likewise. The first row of a table is the
/// version of its format.
[[nodiscard]] std::span<const KeyInfo> accepts_key_table();

/// Null if there is no such key.
[[nodiscard]] const KeyInfo* find_key(std::string_view path,
                                      std::span<const KeyInfo> table = key_table());

/// The rows whose parent this is.
[[nodiscard]] std::vector<const KeyInfo*> keys_below(std::string_view parent,
                                                     std::span<const KeyInfo> table = key_table());

/// "a whole number", "a list of texts", ...
[[nodiscard]] std::string_view type_words(KeyType type);

}  // namespace perfgate::workloads
