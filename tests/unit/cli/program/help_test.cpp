// The help of every command: one screen of 80 columns, with an example, as the golden files have
// it.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>

#include "tests/unit/cli/program/program.h"

namespace perfgate::testing {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::ptrdiff_t kLines = 40;

using Words = std::vector<std::string>;

class Help : public Program, public ::testing::WithParamInterface<Words> {};

std::string file_of(const Words& words) {
  std::string name = "perfgate";
  for (const std::string& word : words) name += "_" + word;
  return "tests/golden/cli/" + name + ".txt";
}

TEST_P(Help, FitsAScreenAndIsTheGoldenOne) {
  Words arguments = GetParam();
  arguments.push_back("--help");
  const Said said = run(arguments);
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.err, "");
  std::istringstream lines(said.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), kColumns) << line;
  EXPECT_LE(std::ranges::count(said.out, '\n'), kLines);
  EXPECT_THAT(said.out, ::testing::HasSubstr("Example"));
  const std::string path = file_of(GetParam());
  if (std::getenv("PERFGATE_UPDATE_GOLDEN") != nullptr) {
    ASSERT_EQ(std::getenv("CI"), nullptr) << "golden files are not updated in CI";
    std::ofstream(path, std::ios::binary) << said.out;
    return;
  }
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream golden;
  golden << stream.rdbuf();
  EXPECT_EQ(said.out, golden.str())
      << path << ": update with PERFGATE_UPDATE_GOLDEN=1, and read it";
}

INSTANTIATE_TEST_SUITE_P(OfEveryCommand, Help,
                         ::testing::Values(Words{}, Words{"run"}, Words{"ab"}, Words{"gate"},
                                           Words{"post"}, Words{"report"}, Words{"explain"},
                                           Words{"compare"}, Words{"kernels"}, Words{"analyze"},
                                           Words{"baseline"}, Words{"baseline", "list"},
                                           Words{"baseline", "show"}, Words{"baseline", "accept"},
                                           Words{"baseline", "pin"}, Words{"baseline", "unpin"},
                                           Words{"baseline", "remove"}, Words{"baseline", "prune"},
                                           Words{"baseline", "export"}, Words{"baseline", "import"},
                                           Words{"init"}, Words{"validate"}, Words{"schema"},
                                           Words{"calibrate"}, Words{"doctor"}, Words{"selftest"},
                                           Words{"drill"}, Words{"trend"}));

}  // namespace
}  // namespace perfgate::testing
