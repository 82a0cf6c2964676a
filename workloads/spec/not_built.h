/// What the file format has and this version does not act on. A key that does nothing would be a
/// lie, so each is refused where it stands, with what happens instead.
#pragma once

#include <span>
#include <string_view>

#include "workloads/spec/yaml_tree.h"

namespace perfgate::workloads {

struct NotBuilt {
  std::string_view path;     ///< as in the key table; a row there only if some value is built
  std::string_view refused;  ///< the one value that is not built; empty = all but `taken`
  std::string_view taken;    ///< the one value that is; empty = none, the key as a whole is not
  std::string_view instead;  ///< what happens without it
};

[[nodiscard]] std::span<const NotBuilt> not_built();

/// Null for a key or value that is built, or that is none at all.
[[nodiscard]] const NotBuilt* find_not_built(std::string_view path, const YamlNode& value);

/// "'floor.ranges' is not built in this version; leave it out", at the key or at the value.
void report_not_built(const NotBuilt& row, const YamlEntry& entry, Problems& problems);

}  // namespace perfgate::workloads
