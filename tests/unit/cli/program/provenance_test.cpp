// Which branch a recorded run belongs to, and what is said of the checkout.
#include <cstdlib>

#include <gmock/gmock.h>

#include "tests/unit/cli/program/program.h"

namespace perfgate::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A repository with one commit on main; the workload is in it.
class Checkout : public Program {
 protected:
  void SetUp() override {
    if (std::system("git --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no git here";
    write_workload("cpu", "ok");
    git("init -q -b main");
    git("add cpu.yaml");
    git("commit -q -m one");
  }
  void git(const std::string& arguments) {
    const std::string line = "git -C " + folder.path() +
                             " -c user.name=t -c user.email=t@t -c commit.gpgsign=false " +
                             arguments + " > /dev/null 2>&1";
    ASSERT_EQ(std::system(line.c_str()), 0) << arguments;
  }
  Said record(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"run", "cpu.yaml", "--gpu", "none", "--record"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
};

TEST_F(Checkout, RunsOfOneCommitOfMainAreABaseline) {
  EXPECT_EQ(record().code, 0);
  const Said second = record();
  EXPECT_THAT(second.out, Not(HasSubstr("NO BASELINE"))) << second.err;
  EXPECT_THAT(run({"baseline", "show", "1"}).out,
              AllOf(HasSubstr(" on main, "), Not(HasSubstr("uncommitted"))));
}

TEST_F(Checkout, AFeatureRecordsForItselfAlone) {
  ASSERT_EQ(record().code, 0);
  git("checkout -q -b feature");
  git("commit -q --allow-empty -m work");
  const Said refused = record();
  EXPECT_EQ(refused.code, 2) << refused.out;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("you are on `feature`"), HasSubstr("--branch feature")));
  EXPECT_EQ(record({"--branch", "feature"}).code, 0);
  const Said second = record({"--branch", "feature"});
  EXPECT_THAT(second.out, Not(HasSubstr("NO BASELINE"))) << second.err;
  EXPECT_THAT(run({"baseline", "list", "--branch", "main"}).out, Not(HasSubstr("feature")));
  // Measured against main, and imported later: a run of its own branch all the same.
  ASSERT_EQ(run({"run", "cpu.yaml", "--gpu", "none", "--out", "later"}).code, 3);
  EXPECT_EQ(run({"baseline", "import", "later"}).code, 0);
  EXPECT_THAT(run({"baseline", "show", "4"}).out, HasSubstr("baseline of feature\n"));
}

TEST_F(Checkout, AnotherNameForTheCheckoutIsKeptBesideTheSeries) {
  git("branch -m master");
  const Said said = record();
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(run({"baseline", "show", "1"}).out,
              AllOf(HasSubstr(" on master, "), HasSubstr("baseline of main\n")));
}

TEST_F(Checkout, UncommittedChangesAreSaid) {
  write("cpu.yaml", read("cpu.yaml") + "# changed\n");
  const Said said = record();
  EXPECT_EQ(said.code, 0);
  EXPECT_THAT(said.err, HasSubstr("recorded with uncommitted changes"));
  EXPECT_THAT(run({"baseline", "show", "1"}).out, HasSubstr(" (with uncommitted changes) on main"));
}

}  // namespace
}  // namespace perfgate::testing
