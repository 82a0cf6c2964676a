// What is said of a store: of an empty list, of a policy beside the exit code, of lost history.
#include <filesystem>

#include <gmock/gmock.h>

#include "tests/unit/cli/program/program.h"

namespace perfgate::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class StoreWords : public Program {
 protected:
  void SetUp() override { write_workload("cpu", "ok"); }
  Said measure(const std::string& out, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"run",   "cpu.yaml", "--gpu",   "none",
                                       "--out", out,        "--store", "s.db"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
};

TEST_F(StoreWords, AListThatAFilterLeavesEmptySaysWhatThereIs) {
  ASSERT_EQ(measure("one", {"--record"}).code, 0);
  EXPECT_THAT(run({"baseline", "list", "--store", "s.db", "--workload", "nope"}).out,
              HasSubstr("no run of workload 'nope'; there are: cpu"));
  EXPECT_THAT(
      run({"baseline", "list", "--store", "s.db", "--workload", "cpu", "--branch", "nope"}).out,
      HasSubstr("no run of workload 'cpu' on branch 'nope'; there are: main"));
}

TEST_F(StoreWords, ThePolicyThatDecidedTheExitCodeIsSaidBesideIt) {
  const Said first = measure("one", {"--record"});
  EXPECT_EQ(first.code, 0);
  EXPECT_THAT(first.out, HasSubstr("(decided by --record: the first run"));
  const Said failed = run({"run", "cpu.yaml", "--gpu", "none", "--out", "two", "--store", "t.db",
                           "--on-no-baseline", "fail"});
  EXPECT_EQ(failed.code, 1);
  EXPECT_THAT(failed.out, HasSubstr("(decided by --on-no-baseline fail)"));
  const Said both = run({"run", "cpu.yaml", "--gpu", "none", "--out", "three", "--store", "u.db",
                         "--on-no-baseline", "fail", "--record"});
  EXPECT_EQ(both.code, 1) << "what was asked for counts";
  EXPECT_EQ(run({"gate", "three"}).code, 1);
}

TEST_F(StoreWords, AStoreThatWasCutToNothingIsLostHistoryAndNotANewBaseline) {
  ASSERT_EQ(measure("one", {"--record"}).code, 0);
  write("s.db", "");
  for (const char* name : {"s.db-wal", "s.db-shm"}) std::filesystem::remove(folder / name);
  const Said said = measure("two", {"--record"});
  EXPECT_EQ(said.code, 4) << said.out;
  EXPECT_THAT(said.err, AllOf(HasSubstr("what was recorded in it is lost"),
                              HasSubstr("perfgate baseline import")));
  EXPECT_EQ(read("s.db"), "");
}

}  // namespace
}  // namespace perfgate::testing
