// Every report of every story, as files: tests/golden/reports/NAME/{input.json, expected.*}.
// PERFGATE_UPDATE_GOLDEN=1 writes them anew from tests/unit/render/report_cases.cpp; look at the
// difference before committing it.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "reporters/render/reporter_catalog.h"
#include "reporters/render/result_json.h"
#include "reporters/render/terminal.h"
#include "tests/unit/render/rendered.h"
#include "tests/unit/render/report_cases.h"

namespace perfgate::render {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = "tests/golden/reports";

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}
bool updating() { return is_set("PERFGATE_UPDATE_GOLDEN"); }

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_file(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::vector<std::string> folders() {
  std::set<std::string> names;
  if (updating()) {
    for (const ReportCase& item : report_cases()) names.insert(item.name);
  }
  for (const auto& entry : fs::directory_iterator(kFolder))
    names.insert(entry.path().filename().string());
  return {names.begin(), names.end()};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class Golden : public testing::TestWithParam<std::string> {
 protected:
  static RunResult input() {
    auto parsed = from_result_json(read_file(kFolder / GetParam() / "input.json"));
    EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().message);
    return parsed.ok() ? std::move(parsed).value() : RunResult{};
  }
};

TEST_P(Golden, InputIsWhatTheBuilderMakes) {
  ASSERT_FALSE(updating() && is_set("CI")) << "golden files are not updated in CI";
  for (const ReportCase& item : report_cases()) {
    if (item.name != GetParam()) continue;
    const fs::path path = kFolder / item.name / "input.json";
    const std::string text = to_result_json(item.result);
    if (updating()) write_file(path, text);
    EXPECT_EQ(read_file(path), text);
    return;
  }
  SUCCEED() << "a folder without a builder is read as it is";
}

TEST_P(Golden, EveryFormatIsAsExpected) {
  ASSERT_FALSE(updating() && is_set("CI")) << "golden files are not updated in CI";
  const RunResult result = input();
  for (const ReportFormat& format : report_formats()) {
    if (format.name == "json") continue;  // input.json is its golden file
    const fs::path path = kFolder / GetParam() / ("expected." + std::string(format.extension));
    const std::string text = rendered(format, result);
    if (updating()) write_file(path, text);
    EXPECT_EQ(read_file(path), text) << path;
  }
}

TEST_P(Golden, NoTerminalLineIsWiderThanAsked) {
  const RunResult result = input();
  for (const int width : {60, 80, 132}) {
    for (const bool unicode : {true, false}) {
      const TerminalStyle style{.colour = false, .width = width, .unicode = unicode};
      for (const std::string& line : lines_of(render_terminal(result, style))) {
        EXPECT_LE(display_width(line), static_cast<std::size_t>(width)) << line;
      }
    }
  }
}

TEST_P(Golden, FirstScreenHoldsTheAnswers) {
  std::vector<std::string> lines = lines_of(render_terminal(input(), TerminalStyle{}));
  lines.resize(std::min<std::size_t>(lines.size(), kFirstScreenLines));
  const auto has = [&](std::string_view start) {
    return std::ranges::any_of(lines,
                               [&](const std::string& line) { return line.starts_with(start); });
  };
  for (const char* label : {"next ", "step ", "floor ", "capture "})
    EXPECT_TRUE(has(label)) << label;
  const std::string all = render_terminal(input(), TerminalStyle{});
  if (all.find("  = traced step") != std::string::npos) {
    EXPECT_TRUE(has("  = traced step")) << "families + idle must close on the first screen";
  }
}

TEST_P(Golden, AsciiStyleIsAscii) {
  const std::string text =
      render_terminal(input(), TerminalStyle{.colour = false, .width = 80, .unicode = false});
  EXPECT_TRUE(
      std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c < 0x7F); }));
}

TEST_P(Golden, ColourChangesNothingButEscapeSequences) {
  const RunResult result = input();
  const std::string plain = render_terminal(result, TerminalStyle{});
  std::string coloured =
      render_terminal(result, TerminalStyle{.colour = true, .width = 80, .unicode = true});
  EXPECT_NE(coloured, plain);
  for (std::size_t at = coloured.find('\033'); at != std::string::npos;
       at = coloured.find('\033')) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  EXPECT_EQ(coloured, plain);
}

TEST_P(Golden, OnlyAReplayedRunSaysSoInItsFirstLine) {
  const RunResult result = input();
  const bool replayed = result.source == RunSource::replayed;
  for (const ReportFormat& format : report_formats()) {
    const bool tells = format.name == "terminal" || format.extension.ends_with("md");
    if (!tells) continue;
    const std::string first = lines_of(format.render(result, TerminalStyle{}, {})).front();
    const bool says =
        first.find("replayed: recorded on NVIDIA H200, not measured here") != std::string::npos;
    EXPECT_EQ(says, replayed) << first;
  }
}

INSTANTIATE_TEST_SUITE_P(Reports, Golden, testing::ValuesIn(folders()),
                         [](const testing::TestParamInfo<std::string>& param) {
                           return param.param;
                         });

TEST(GoldenFolders, EveryStoryHasOne) {
  for (const ReportCase& item : report_cases())
    EXPECT_TRUE(fs::exists(kFolder / item.name)) << item.name;
}

TEST(GoldenFolders, EveryOutcomeIsTold) {
  std::set<Outcome> told;
  for (const ReportCase& item : report_cases()) told.insert(item.result.verdict.outcome);
  EXPECT_EQ(told.size(), 7U);
}

}  // namespace
}  // namespace perfgate::render
