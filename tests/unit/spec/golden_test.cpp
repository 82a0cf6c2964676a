// Each folder of tests/golden/spec holds a workload file and everything that is said about it.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runner/model/nearest_word.h"
#include "workloads/spec/schema.h"
#include "workloads/spec/workload_file.h"

namespace perfgate::workloads {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

bool updating() { return std::getenv("PERFGATE_UPDATE_GOLDEN") != nullptr; }

void expect_golden(const fs::path& path, const std::string& text) {
  if (updating()) {
    ASSERT_EQ(std::getenv("CI"), nullptr) << "golden files are not updated in CI";
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  ASSERT_TRUE(fs::exists(path)) << path << ": make it with PERFGATE_UPDATE_GOLDEN=1, and read it";
  EXPECT_EQ(text, read_file(path)) << path;
}

std::optional<std::string> check_metric(std::string_view id) {
  static constexpr std::array<std::string_view, 7> kKnown{
      "step_time_p50", "step_time_p90", "gpu_idle_ms",         "kernel_launches",
      "tokens_per_s",  "kernel_us",     "achieved_bytes_per_s"};
  const std::string_view base = id.substr(0, id.find('/'));
  if (std::ranges::find(kKnown, base) != kKnown.end()) return std::nullopt;
  return suggest(id, kKnown);
}

std::string everything_said(const std::string& text) {
  const CheckedWorkload checked =
      check_workload(text, "input.yaml", {.metric_check = check_metric});
  std::string said;
  if (!checked.errors.empty()) {
    const Error error = error_of(checked.errors, text, "input.yaml");
    said = "message: " + error.message + "\n" + error.context;
  }
  std::string_view source = text;
  if (source.starts_with("\xEF\xBB\xBF")) source.remove_prefix(3);
  return said + render(checked.warnings, source, "input.yaml");
}

std::vector<fs::path> golden_folders() {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator("tests/golden/spec")) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  std::ranges::sort(folders);
  return folders;
}

TEST(Golden, EveryBadFileIsAnsweredAsWritten) {
  const auto folders = golden_folders();
  ASSERT_GT(folders.size(), 100U);
  for (const fs::path& folder : folders) {
    SCOPED_TRACE(folder.string());
    const std::string said = everything_said(read_file(folder / "input.yaml"));
    EXPECT_FALSE(said.empty()) << "nothing is said about this file";
    expect_golden(folder / "expected.txt", said);
  }
}

TEST(Golden, SchemaIsTheCommittedOne) {
  expect_golden("tests/golden/spec/schema.json", json_schema());
  expect_golden("tests/golden/spec/accepts_schema.json", accepts_json_schema());
}

}  // namespace
}  // namespace perfgate::workloads
