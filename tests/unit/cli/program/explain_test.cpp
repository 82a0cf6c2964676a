// `perfgate explain` and `perfgate compare` on recorded runs, as a user calls them.
#include <filesystem>

#include <gmock/gmock.h>

#include "tests/unit/cli/program/program.h"

namespace perfgate::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Explaining : public Program {
 protected:
  const std::string recording =
      std::filesystem::current_path() / "workloads/recordings/tiny/candidate";
};

TEST_F(Explaining, AResultWithoutALedgerNamesTheCommandThatMakesOne) {
  const Said said = run({"explain", recording});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("ledger   none: "),
                              HasSubstr("perfgate compare BASE_FOLDER HEAD_FOLDER")));
}

TEST_F(Explaining, ComparingIsNeverAVerdict) {
  const Said said = run({"compare", recording, recording});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(StartsWith("COMPARED"), HasSubstr("not a verdict: two runs"),
                              HasSubstr("where the change went:")));
}

TEST_F(Explaining, EachFormatIsOfferedAndAnotherIsAMistake) {
  for (const char* format : {"terminal", "text", "md", "json"}) {
    EXPECT_EQ(run({"compare", recording, recording, "--format", format}).code, 0) << format;
    EXPECT_EQ(run({"explain", recording, "--format", format}).code, 0) << format;
  }
  EXPECT_EQ(run({"explain", recording, "--format", "pdf"}).code, 2);
}

TEST_F(Explaining, ALoneResultCannotBeCompared) {
  const Said said = run({"compare", recording + "/result.json", recording});
  EXPECT_NE(said.code, 0);
  EXPECT_THAT(said.err, HasSubstr("no processes of its own"));
}

TEST_F(Explaining, WhatIsNoRunIsNamed) {
  const Said empty = run({"explain", std::filesystem::path(recording).parent_path()});
  EXPECT_NE(empty.code, 0);
  EXPECT_THAT(empty.err, HasSubstr("holds no run: no result.json in it"));
  const Said capture = run({"compare", "a/1-2.pgcap", recording});
  EXPECT_EQ(capture.code, 2);
  EXPECT_THAT(capture.err, HasSubstr("perfgate analyze a/1-2.pgcap"));
}

TEST_F(Explaining, AResultThatIsNamedTwiceCountsOnce) {
  const Said said = run({"gate", recording, recording + "/"});
  EXPECT_THAT(said.err, HasSubstr("is named twice and counts once"));
  EXPECT_THAT(said.out, HasSubstr("1 result"));
}

}  // namespace
}  // namespace perfgate::testing
