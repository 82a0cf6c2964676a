// One table for parser, schema and examples: these tests keep the three from diverging.
#include "workloads/spec/key_table.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "workloads/spec/not_built.h"
#include "workloads/spec/readers.h"
#include "workloads/spec/schema.h"
#include "workloads/spec/yaml_tree.h"

namespace perfgate::workloads {
namespace {

const std::vector<std::string> kExamples{"builtin", "command", "json_results", "weights"};

std::string example(const std::string& name) {
  std::ifstream stream("tests/data/spec/" + name + ".yaml", std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

YamlNode tree_of(const std::string& text) {
  Problems problems;
  auto tree = parse_yaml(text, problems);
  EXPECT_TRUE(tree.has_value());
  return tree.value_or(YamlNode{});
}

/// Every value of a tree with its path as the key table writes it.
void collect(YamlNode& node, const std::string& path,
             std::vector<std::pair<std::string, YamlNode*>>& out) {
  const KeyInfo* info = find_key(path);
  const bool opaque =
      info != nullptr && (info->type == KeyType::parameters || info->type == KeyType::text_map);
  if (!path.empty()) out.emplace_back(path, &node);
  if (opaque) return;
  for (YamlEntry& entry : node.entries) {
    std::string below = path.empty() ? "" : path + ".";
    below += entry.key;
    collect(entry.value, below, out);
  }
  if (info != nullptr && info->type == KeyType::mapping_list) {
    for (YamlNode& item : node.items) collect(item, path + "[]", out);
  }
}

TEST(KeyTable, EveryKeyStandsInAnExampleThatParses) {
  std::set<std::string> seen;
  for (const std::string& name : kExamples) {
    const auto result = parse_workload(example(name), name);
    ASSERT_TRUE(result.ok()) << result.error().context;
    YamlNode tree = tree_of(example(name));
    std::vector<std::pair<std::string, YamlNode*>> values;
    collect(tree, "", values);
    for (const auto& [path, node] : values) seen.insert(path);
  }
  for (const KeyInfo& info : key_table())
    EXPECT_TRUE(seen.contains(std::string{info.path})) << info.path;
}

/// A value that no key of this type takes.
YamlNode wrong_value(KeyType type) {
  YamlNode wrong;
  wrong.kind = YamlNode::Kind::sequence;
  YamlNode inner;
  inner.kind = YamlNode::Kind::sequence;
  const bool takes_list =
      type == KeyType::text_list || type == KeyType::looks || type == KeyType::mapping_list;
  if (takes_list) wrong.items.push_back(inner);
  return wrong;
}

TEST(KeyTable, EveryKeyIsReadAndItsWrongTypeRefused) {
  std::set<std::string> refused;
  for (const std::string& name : kExamples) {
    const std::string text = example(name);
    YamlNode tree = tree_of(text);
    std::vector<std::pair<std::string, YamlNode*>> values;
    collect(tree, "", values);
    for (const auto& [path, node] : values) {
      const KeyInfo* info = find_key(path);
      if (info == nullptr) continue;
      YamlNode saved = std::move(*node);
      *node = wrong_value(info->type);
      Problems problems;
      problems.source = text;
      static_cast<void>(read_workload(tree, problems, {}));
      EXPECT_FALSE(problems.errors.empty()) << path << " in " << name << " takes a wrong type";
      const bool about_type =
          std::ranges::any_of(problems.errors, [](const Diagnostic& diagnostic) {
            return diagnostic.message.find("found a list") != std::string::npos ||
                   diagnostic.message.find("is not built") != std::string::npos;
          });
      EXPECT_TRUE(about_type) << path << " in " << name;
      refused.insert(path);
      *node = std::move(saved);
    }
  }
  EXPECT_EQ(refused.size(), key_table().size());
}

TEST(KeyTable, PathsAreUniqueAndEachHasItsParentAndWords) {
  std::set<std::string_view> paths;
  for (const KeyInfo& info : key_table()) {
    EXPECT_TRUE(paths.insert(info.path).second) << info.path;
    EXPECT_FALSE(info.doc.empty()) << info.path;
    std::string parent{info.parent()};
    if (parent.ends_with("[]")) parent.resize(parent.size() - 2);
    if (!parent.empty()) {
      EXPECT_NE(find_key(parent), nullptr) << info.path;
    }
    if (info.type == KeyType::choice) {
      EXPECT_FALSE(info.choices.empty()) << info.path;
    }
  }
}

TEST(KeyTable, DefaultsAreTheOnesOfTheSpec) {
  // Writing every default out must give the same spec as leaving it away.
  const std::string head = "perfgate: 1\nname: x\nrun: {command: {argv: [./a]";
  const auto word = [](std::string_view path) { return std::string{find_key(path)->default_text}; };
  const std::string written =
      head + ", timeout: " + word("run.command.timeout") +
      ", results: " + word("run.command.results") + "}}\n" +
      "steps: {warmup: " + word("steps.warmup") + ", measure: " + word("steps.measure") + "}\n" +
      "timing: {processes: " + word("timing.processes") + ", rounds: " + word("timing.rounds") +
      ", budget: " + word("timing.budget") + "}\ntrace: {processes: " + word("trace.processes") +
      ", steps: " + word("trace.steps") + "}\ncounters: {dram: " + word("counters.dram") +
      "}\ngpus: " + word("gpus") + "\n";
  const auto a = parse_workload(head + "}}\n", "a");
  const auto b = parse_workload(written, "b");
  ASSERT_TRUE(a.ok());
  ASSERT_TRUE(b.ok()) << b.error().context;
  EXPECT_EQ(a.value().workload_digest, b.value().workload_digest);
  EXPECT_EQ(a.value().timing.processes, b.value().timing.processes);
  EXPECT_EQ(a.value().timing.budget_s, b.value().timing.budget_s);
  EXPECT_EQ(a.value().trace.processes, b.value().trace.processes);
  EXPECT_EQ(std::get<CommandRun>(a.value().run).timeout_s,
            std::get<CommandRun>(b.value().run).timeout_s);
  EXPECT_EQ(a.value().counters_dram, b.value().counters_dram);
}

/// A value that is not built stands at the end of its mappings: "floor: {ranges: 7}".
std::string file_with(std::string_view path, std::string_view value) {
  std::string text{value};
  for (std::size_t dot = path.size(); dot != std::string_view::npos;) {
    dot = path.rfind('.');
    const std::string key{path.substr(dot == std::string_view::npos ? 0 : dot + 1)};
    text = dot == std::string_view::npos ? key + ": " + text : "{" + key + ": " + text + "}";
    path = path.substr(0, dot == std::string_view::npos ? 0 : dot);
  }
  const bool has_run = text.starts_with("run: ");
  return "perfgate: 1\nname: x\n" + std::string{has_run ? "" : "run: {builtin: stream}\n"} + text;
}

TEST(NotBuilt, EachIsRefusedAtItsPlaceAndSaysWhatHappensInstead) {
  for (const NotBuilt& row : not_built()) {
    const std::string value{row.refused.empty() ? "7" : row.refused};
    const std::string text = file_with(row.path, value);
    const CheckedWorkload checked = check_workload(text, "f.yaml", {});
    ASSERT_EQ(checked.errors.size(), 1U) << text;
    const Diagnostic& said = checked.errors.front();
    EXPECT_NE(said.message.find("is not built in this version; leave it out"), std::string::npos);
    EXPECT_EQ(said.hint, row.instead);
    EXPECT_GT(said.at.line, 2) << text;
    EXPECT_GE(said.at.column, 1) << text;
  }
}

TEST(NotBuilt, TheValueThatIsBuiltIsTaken) {
  for (const char* taken : {"gpus: 1", "timing: {rounds: 1}", "counters: {dram: auto}",
                            "counters: {dram: off}", "owner: me", "trace: {window: profiler}"}) {
    const auto result = parse_workload(
        "perfgate: 1\nname: x\nrun: {builtin: stream}\n" + std::string{taken}, "f.yaml");
    EXPECT_TRUE(result.ok()) << taken;
  }
}

TEST(NotBuilt, TheSchemaHasNoKeyThatIsNotBuilt) {
  for (const NotBuilt& row : not_built()) {
    EXPECT_EQ(find_key(row.path) == nullptr, row.refused.empty() && row.taken.empty()) << row.path;
  }
}

TEST(Schema, NamesEveryKeyOfTheTable) {
  const std::string schema = json_schema();
  for (const KeyInfo& info : key_table()) {
    EXPECT_NE(schema.find("\"" + std::string{info.name()} + "\": {"), std::string::npos)
        << info.path;
  }
}

}  // namespace
}  // namespace perfgate::workloads
