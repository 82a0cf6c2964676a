#include "workloads/spec/section.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "runner/model/nearest_word.h"
#include "workloads/spec/not_built.h"
#include "workloads/spec/utf8.h"

namespace perfgate::workloads {
namespace {

/// Sections that have a key of this name, for keys put into the wrong one.
std::string home_of(std::string_view key, std::span<const KeyInfo> table) {
  std::string homes;
  for (const KeyInfo& info : table) {
    if (info.name() != key) continue;
    const std::string parent = shown_path(info.parent());
    if (!homes.empty()) homes += " or ";
    homes += parent.empty() ? "the top level" : "'" + parent + "'";
  }
  return homes;
}

std::string unknown_key_hint(std::string_view key, std::span<const std::string_view> known,
                             std::span<const KeyInfo> table) {
  const std::string homes = home_of(key, table);
  if (nearest_word(key, known).empty() && !homes.empty()) return "it belongs to " + homes;
  return suggest(key, known);
}

/// "[python, bench.py]" for a command that was written as one text.
std::string list_hint(const KeyInfo& info, const YamlNode& node) {
  if (node.kind != YamlNode::Kind::scalar) return {};
  if (node.text.find_first_of("\"'\\\n,[]{}#") != std::string::npos) return "write [first, second]";
  std::string list;
  for (std::size_t start = 0; start < node.text.size();) {
    const std::size_t end = std::min(node.text.find(' ', start), node.text.size());
    if (end > start) list += (list.empty() ? "" : ", ") + node.text.substr(start, end - start);
    start = end + 1;
  }
  return "write " + std::string{info.name()} + ": [" + list + "]";
}

}  // namespace

Section::Section(const YamlNode* node, std::string path, Problems& problems,
                 std::span<const KeyInfo> table)
    : node_(node), path_(std::move(path)), problems_(&problems), table_(table) {
  if (node_ == nullptr) return;
  if (node_->kind != YamlNode::Kind::mapping) {
    report_no_mapping();
    node_ = nullptr;
    return;
  }
  check_keys();
}

void Section::report_no_mapping() const {
  const bool is_entry = path_.ends_with("[]");
  const std::string what = path_.empty() ? "a " + std::string{problems_->file}
                                         : (is_entry ? "an entry of " : "") + shown_path(path_);
  const std::vector<const KeyInfo*> rows = keys_below(path_, table_);
  std::string hint = "write key: value lines below it; keys: ";
  if (path_.empty()) {
    hint = "write key: value lines, the first is '" + std::string{rows.front()->name()} + ": 1'";
  } else if (is_entry) {
    const bool text = node_->kind == YamlNode::Kind::scalar;
    hint = "write {" + std::string{rows.front()->name()} + ": " +
           (text ? excerpt_of(node_->text) : "...") + "}";
  } else {
    for (const KeyInfo* row : rows) {
      hint += (row == rows.front() ? "" : ", ") + std::string{row->name()};
    }
  }
  const bool empty = node_->kind == YamlNode::Kind::null;
  problems_->error(
      node_->at, what + (empty ? " has no value" : " must be a mapping, found " + describe(*node_)),
      hint);
}

void Section::check_keys() const {
  const std::vector<const KeyInfo*> rows = keys_below(path_, table_);
  const bool is_workload = table_.data() == key_table().data();
  std::vector<std::string_view> names;
  names.reserve(rows.size());
  for (const KeyInfo* row : rows) names.push_back(row->name());
  const std::string where = path_.empty() ? "" : " in " + shown_path(path_);
  for (const YamlEntry& found : node_->entries) {
    const NotBuilt* row = is_workload ? find_not_built(path_of(found.key), found.value) : nullptr;
    if (row != nullptr) {
      report_not_built(*row, found, *problems_);
      continue;
    }
    if (std::ranges::find(names, found.key) != names.end()) continue;
    Position at = found.at;
    at.width = std::max(1, static_cast<int>(found.key.size()));
    problems_->error(at, "unknown key '" + excerpt_of(found.key) + "'" + where,
                     unknown_key_hint(found.key, names, table_));
  }
  for (const KeyInfo* row : rows) {
    // The version has its own, longer message.
    if (!row->required || row == &table_.front() || node_->find(row->name()) != nullptr) continue;
    problems_->error(node_->at, "missing key '" + std::string{row->name()} + "'" + where,
                     "add it: " + std::string{row->doc});
  }
}

std::string Section::path_of(std::string_view key) const {
  return path_.empty() ? std::string{key} : path_ + "." + std::string{key};
}

Section::Found Section::look_up(std::string_view key) const {
  const KeyInfo* info = find_key(path_of(key), table_);
  assert(info != nullptr && "a reader asks for a key that the table lacks");
  const YamlEntry* found = entry(key);
  // What is not built was reported with the keys; it is read as if it were not there.
  const bool is_workload = table_.data() == key_table().data();
  if (found != nullptr && is_workload && find_not_built(info->path, found->value) != nullptr)
    found = nullptr;
  return {info, found};
}

const YamlEntry* Section::entry(std::string_view key) const {
  return node_ == nullptr ? nullptr : node_->find(key);
}

Position Section::at(std::string_view key) const {
  const YamlEntry* found = entry(key);
  return found == nullptr ? at() : found->value.at;
}

Section Section::section(std::string_view key) const {
  const Found found = look_up(key);
  return Section{found.entry == nullptr ? nullptr : &found.entry->value, path_of(key), *problems_,
                 table_};
}

std::vector<Section> Section::sections(std::string_view key) const {
  std::vector<Section> list;
  const Found found = look_up(key);
  if (found.entry == nullptr) return list;
  if (found.entry->value.kind != YamlNode::Kind::sequence) {
    report_type(*found.info, found.entry->value, *problems_,
                "start each entry with '- ', for example '- {" +
                    std::string{keys_below(path_of(key) + "[]", table_).front()->name()} +
                    ": ...}'");
    return list;
  }
  for (const YamlNode& item : found.entry->value.items) {
    list.emplace_back(&item, path_of(key) + "[]", *problems_, table_);
  }
  return list;
}

bool Section::read(std::string_view key, std::string& out) const {
  const Found found = look_up(key);
  if (found.entry == nullptr) return false;
  auto value = read_text(*found.info, found.entry->value, *problems_);
  if (!value) return false;
  const auto choices = found.info->choices;
  if (!choices.empty() && std::ranges::find(choices, std::string_view{*value}) == choices.end()) {
    problems_->error(found.entry->value.at,
                     shown_path(found.info->path) + ": unknown word '" + excerpt_of(*value) + "'",
                     suggest(*value, choices));
    return false;
  }
  out = std::move(*value);
  return true;
}

bool Section::read(std::string_view key, bool& out) const {
  const Found found = look_up(key);
  if (found.entry == nullptr) return false;
  const auto value = read_boolean(*found.info, found.entry->value, *problems_);
  if (value) out = *value;
  return value.has_value();
}

bool Section::read(std::string_view key, int& out) const {
  const Found found = look_up(key);
  if (found.entry == nullptr) return false;
  const auto value = read_integer(*found.info, found.entry->value, *problems_);
  if (value) out = static_cast<int>(*value);  // the table's limits fit
  return value.has_value();
}

bool Section::read(std::string_view key, double& out) const {
  const Found found = look_up(key);
  if (found.entry == nullptr) return false;
  const bool duration = found.info->type == KeyType::duration;
  const auto value = duration ? read_amount(*found.info, found.entry->value, *problems_)
                              : read_number(*found.info, found.entry->value, *problems_);
  if (value) out = *value;
  return value.has_value();
}

bool Section::read(std::string_view key, std::optional<double>& out) const {
  const Found found = look_up(key);
  if (found.entry == nullptr) return false;
  const bool number = found.info->type == KeyType::number;
  const auto value = number ? read_number(*found.info, found.entry->value, *problems_)
                            : read_amount(*found.info, found.entry->value, *problems_);
  if (value) out = value;
  return value.has_value();
}

bool Section::read(std::string_view key, std::vector<int>& out) const {
  const Found found = look_up(key);
  if (found.entry == nullptr) return false;
  const YamlNode& node = found.entry->value;
  std::vector<int> looks;
  if (node.kind != YamlNode::Kind::sequence) {
    const auto only = read_integer(*found.info, node, *problems_);
    if (!only) return false;
    looks.push_back(static_cast<int>(*only));
  }
  for (const YamlNode& item : node.items) {
    const auto value = read_integer(*found.info, item, *problems_);
    if (!value) return false;
    if (!looks.empty() && *value <= looks.back()) {
      problems_->error(item.at,
                       shown_path(found.info->path) + " must rise from look to look, found " +
                           excerpt_of(item.text) + " after " + std::to_string(looks.back()),
                       "each look counts the processes in all, for example [5, 8, 12]");
      return false;
    }
    looks.push_back(static_cast<int>(*value));
  }
  if (looks.empty() || looks.size() > 10) {
    problems_->error(node.at, shown_path(found.info->path) + " must have 1 to 10 looks",
                     "for example [5, 8, 12]");
    return false;
  }
  out = std::move(looks);
  return true;
}

bool Section::read(std::string_view key, std::vector<std::string>& out) const {
  const Found found = look_up(key);
  if (found.entry == nullptr) return false;
  const YamlNode& node = found.entry->value;
  if (node.kind != YamlNode::Kind::sequence) {
    report_type(*found.info, node, *problems_, list_hint(*found.info, node));
    return false;
  }
  std::vector<std::string> texts;
  for (const YamlNode& item : node.items) {
    if (item.kind != YamlNode::Kind::scalar) {
      problems_->error(item.at,
                       "an entry of " + shown_path(found.info->path) + " must be a text, found " +
                           describe(item),
                       "put quotes around it");
      return false;
    }
    texts.push_back(item.text);
  }
  if (texts.empty()) {
    problems_->error(node.at, shown_path(found.info->path) + " is an empty list",
                     "name at least one, or remove the key");
    return false;
  }
  out = std::move(texts);
  return true;
}

bool Section::read(std::string_view key, std::map<std::string, std::string>& out) const {
  const Found found = look_up(key);
  if (found.entry == nullptr) return false;
  const YamlNode& node = found.entry->value;
  if (node.kind != YamlNode::Kind::mapping) {
    report_type(*found.info, node, *problems_);
    return false;
  }
  bool usable = true;
  for (const YamlEntry& named : node.entries) {
    if (named.value.kind == YamlNode::Kind::scalar) {
      out[named.key] = named.value.text;
      continue;
    }
    usable = false;
    problems_->error(named.value.at,
                     shown_path(found.info->path) + "." + excerpt_of(named.key) +
                         " must be a text, found " + describe(named.value),
                     named.value.kind == YamlNode::Kind::null ? "write '' for an empty value" : "");
  }
  return usable;
}

}  // namespace perfgate::workloads
