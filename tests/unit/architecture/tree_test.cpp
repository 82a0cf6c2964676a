// The tree itself, held against CONTRIBUTING.md. Runs from the source folder.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/architecture/recipes.h"
#include "tests/unit/architecture/rules.h"

namespace perfgate::architecture {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

std::string read(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::vector<SourceFile> sources() {
  std::vector<SourceFile> files;
  for (const char* top : {"runner", "workloads", "baselines", "gates", "reporters", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
      const std::string extension = entry.path().extension().string();
      if (extension == ".h" || extension == ".cpp" || extension == ".cu" || extension == ".cuh") {
        files.push_back({entry.path().generic_string(), read(entry.path())});
      }
    }
  }
  return files;
}

Tree whole_tree() {
  Tree tree;
  for (const char* top : {"runner", "workloads", "baselines", "gates", "reporters", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
      const std::string path = entry.path().generic_string();
      // Recordings are large, and no recipe asks for one.
      if (!entry.is_regular_file() || path.starts_with("workloads/recordings/")) continue;
      tree.emplace(path, read(entry.path()));
    }
  }
  return tree;
}

template <typename Check>
std::vector<std::string> over_all(const Check& check) {
  std::vector<std::string> problems;
  for (const SourceFile& file : sources()) {
    const auto found = check(file);
    std::ranges::copy(found, std::back_inserter(problems));
  }
  return problems;
}

TEST(Tree, HasTheRoomsOfTheTable) {
  const auto rooms = parse_rooms(read("CONTRIBUTING.md"));
  ASSERT_GE(rooms.size(), 10U);
  for (const Room& room : rooms) EXPECT_TRUE(fs::is_directory(room.folder)) << room.folder;
}

TEST(Tree, KeepsTheDirectionOfIncludes) {
  const auto rooms = parse_rooms(read("CONTRIBUTING.md"));
  EXPECT_THAT(over_all([&](const SourceFile& file) { return check_includes(rooms, file); }),
              IsEmpty());
}

TEST(Tree, TakesTimeEnvironmentAndOutputAsParameters) {
  EXPECT_THAT(over_all(check_tokens), IsEmpty());
}

TEST(Tree, HasARowAndAProofForEachExtension) {
  const Tree tree = whole_tree();
  EXPECT_THAT(check_metrics(tree), IsEmpty());
  EXPECT_THAT(check_diagnosis_rules(tree), IsEmpty());
  EXPECT_THAT(check_gate_rules(tree), IsEmpty());
  EXPECT_THAT(check_reporters(tree), IsEmpty());
  EXPECT_THAT(check_workload_kinds(tree), IsEmpty());
  EXPECT_THAT(check_migrations(tree), IsEmpty());
  EXPECT_THAT(check_commands(tree), IsEmpty());
}

TEST(Tree, HasFilesThatFitASitting) { EXPECT_THAT(over_all(check_size), IsEmpty()); }

}  // namespace
}  // namespace perfgate::architecture
