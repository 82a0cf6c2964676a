/// A mapping of a workload file (or of the file of accepts), read through its key table: the only
/// way a reader gets at a value, so that a key that the table lacks cannot be read and a value that
/// the table forbids cannot pass.
///
/// Made over a node, a Section reports unknown and missing keys at once. Each `read` leaves `out`
/// as it is if the key is absent or its value is refused (then a problem is reported), and returns
/// whether it has set it. A key that the table lacks is a bug of ours and ends the program in a
/// debug build.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/spec/key_table.h"
#include "workloads/spec/quantity.h"
#include "workloads/spec/yaml_tree.h"

namespace perfgate::workloads {

class Section {
 public:
  /// `node` may be null (the section is absent) and must outlive the Section; `path` as in the key
  /// table.
  Section(const YamlNode* node, std::string path, Problems& problems,
          std::span<const KeyInfo> table = key_table());

  [[nodiscard]] bool present() const { return node_ != nullptr; }
  [[nodiscard]] Position at() const { return node_ != nullptr ? node_->at : Position{}; }
  /// The entry as written, whatever its type; null if absent.
  [[nodiscard]] const YamlEntry* entry(std::string_view key) const;
  /// Position of the value of a key; of the section if absent.
  [[nodiscard]] Position at(std::string_view key) const;

  [[nodiscard]] Section section(std::string_view key) const;
  /// One per entry of a list of mappings.
  [[nodiscard]] std::vector<Section> sections(std::string_view key) const;

  bool read(std::string_view key, std::string& out) const;  ///< text, never empty; choice
  bool read(std::string_view key, bool& out) const;         ///< boolean
  bool read(std::string_view key, int& out) const;          ///< integer
  bool read(std::string_view key, double& out) const;       ///< number, duration (s)
  bool read(std::string_view key,
            std::optional<double>& out) const;                   ///< amounts, percent as a ratio
  bool read(std::string_view key, std::vector<int>& out) const;  ///< looks
  bool read(std::string_view key, std::vector<std::string>& out) const;            ///< text_list
  bool read(std::string_view key, std::map<std::string, std::string>& out) const;  ///< text_map

  /// The table's row of a key.
  [[nodiscard]] const KeyInfo& key_info(std::string_view key) const { return *look_up(key).info; }
  [[nodiscard]] Problems& problems() const { return *problems_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  struct Found {
    const KeyInfo* info = nullptr;
    const YamlEntry* entry = nullptr;
  };
  [[nodiscard]] Found look_up(std::string_view key) const;
  [[nodiscard]] std::string path_of(std::string_view key) const;
  void check_keys() const;
  void report_no_mapping() const;

  const YamlNode* node_ = nullptr;
  std::string path_;
  Problems* problems_ = nullptr;
  std::span<const KeyInfo> table_;
};

/// "gates.metric" of "gates[].metric": the path as messages show it.
[[nodiscard]] std::string shown_path(std::string_view path);

/// Reports that `node` is not what `info` asks for.
void report_type(const KeyInfo& info, const YamlNode& node, Problems& problems,
                 std::string hint = {});

/// The single values, each reporting what is wrong with it under the name of `info`.
[[nodiscard]] std::optional<std::string> read_text(const KeyInfo& info, const YamlNode& node,
                                                   Problems& problems);
[[nodiscard]] std::optional<bool> read_boolean(const KeyInfo& info, const YamlNode& node,
                                               Problems& problems);
[[nodiscard]] std::optional<std::int64_t> read_integer(const KeyInfo& info, const YamlNode& node,
                                                       Problems& problems);
[[nodiscard]] std::optional<double> read_number(const KeyInfo& info, const YamlNode& node,
                                                Problems& problems);
/// Any of duration, bytes, flops, bandwidth, rate and percent, in base units; `auto` gives no
/// value.
[[nodiscard]] std::optional<double> read_amount(const KeyInfo& info, const YamlNode& node,
                                                Problems& problems);

}  // namespace perfgate::workloads
