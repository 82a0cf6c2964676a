// The rules that check the tree, checked on strings.
#include "tests/unit/architecture/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perfgate::architecture {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kTable =
    "text\n\n"
    "| module | holds | may include | vendor | pure |\n"
    "| --- | --- | --- | --- | --- |\n"
    "| `runner/model` | types | std | none | yes |\n"
    "| `runner/capture` | file | model | zstd | yes |\n"
    "| `runner/cli` | main | everything | CLI11 | IO |\n"
    "| `gates` | rules | model | boost | yes |\n"
    "\n| module | other table |\n";

std::vector<Room> rooms() { return parse_rooms(kTable); }

TEST(ModuleTable, IsReadUpToItsEnd) {
  ASSERT_EQ(rooms().size(), 4U);
  EXPECT_EQ(rooms()[1].folder, "runner/capture");
  EXPECT_THAT(rooms()[1].includes, ElementsAre("model"));
  EXPECT_THAT(rooms()[1].vendors, ElementsAre("zstd"));
}

TEST(Includes, OfAnAllowedRoomPass) {
  EXPECT_THAT(check_includes(rooms(),
                             {"gates/a.cpp", "#include \"runner/model/x.h\"\n#include <vector>\n"}),
              IsEmpty());
  EXPECT_THAT(check_includes(rooms(), {"runner/cli/a.cpp", "#include \"gates/x.h\"\n"}), IsEmpty());
}

TEST(Includes, AgainstTheDirectionAreNamedWithTheLine) {
  EXPECT_THAT(check_includes(rooms(), {"runner/model/a.h", "\n#include \"gates/x.h\"\n"}),
              ElementsAre(HasSubstr("runner/model/a.h:2: runner/model may not include gates")));
  EXPECT_THAT(check_includes(rooms(), {"gates/a.cpp", "#include \"runner/capture/x.h\"\n"}),
              ElementsAre(HasSubstr("gates may not include runner/capture")));
}

TEST(Includes, OfAForeignVendorAreRefused) {
  EXPECT_THAT(check_includes(rooms(), {"gates/a.cpp", "#include <zstd.h>\n"}),
              ElementsAre(HasSubstr("vendor header <zstd.h>")));
  EXPECT_THAT(check_includes(rooms(), {"runner/capture/a.cpp", "#include <zstd.h>\n"}), IsEmpty());
}

TEST(Includes, WithoutAPathOrOutsideTheTableAreRefused) {
  EXPECT_THAT(check_includes(rooms(), {"gates/a.cpp", "#include \"b.h\"\n"}),
              ElementsAre(HasSubstr("by its path from the root")));
  EXPECT_THAT(check_includes(rooms(), {"runner/new/a.cpp", ""}),
              ElementsAre(HasSubstr("in no room")));
}

TEST(Tokens, ThatHideInputsAreBannedOutsideTheirRooms) {
  EXPECT_THAT(check_tokens({"gates/a.cpp", "auto t = std::chrono::steady_clock::now();\n"}),
              ElementsAre(HasSubstr("take a platform::Clock")));
  EXPECT_THAT(check_tokens({"gates/a.cpp", "x = std::getenv(\"A\");\n"}),
              ElementsAre(HasSubstr("platform::Environment")));
  EXPECT_THAT(check_tokens({"runner/platform/a.cpp", "x = std::getenv(\"A\");\n"}), IsEmpty());
  EXPECT_THAT(check_tokens({"gates/a.cpp", "// like getenv( in C\nmy_system(1);\n"}), IsEmpty());
}

TEST(Size, HasALimitForSourcesAndOneForHeaders) {
  EXPECT_THAT(check_size({"gates/a.cpp", std::string(420, '\n')}), IsEmpty());
  EXPECT_THAT(check_size({"gates/a.cpp", std::string(421, '\n')}),
              ElementsAre(HasSubstr("421 lines")));
  EXPECT_THAT(check_size({"gates/a.h", std::string(221, '\n')}),
              ElementsAre(HasSubstr("at most 220")));
}

}  // namespace
}  // namespace perfgate::architecture
