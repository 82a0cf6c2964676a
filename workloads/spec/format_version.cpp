#include "workloads/spec/format_version.h"

#include <string>

#include "workloads/spec/quantity.h"
#include "workloads/spec/utf8.h"

namespace perfgate::workloads {

void read_format_version(const Section& root, std::string_view key, int newest, int& version) {
  if (!root.present()) return;
  Problems& problems = root.problems();
  const std::string name(key);
  const std::string read = std::to_string(newest);
  const YamlEntry* entry = root.entry(key);
  if (entry == nullptr) {
    problems.error(root.at(), "missing key '" + name + "', the version of the file format",
                   "write '" + name + ": " + read + "' as the first line");
    return;
  }
  const auto asked = parse_integer(entry->value.text);
  if (asked && *asked > newest) {
    problems.error(entry->value.at,
                   "the file needs perfgate newer than this one: format " +
                       excerpt_of(entry->value.text) + ", and this one reads " + read,
                   "update perfgate");
    return;
  }
  root.read(key, version);
}

}  // namespace perfgate::workloads
