// Several workloads in one call of the built perfgate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/program/program.h"

namespace perfgate::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class Several : public Program {};

TEST_F(Several, EndWithOneLineThatJoinsThemTheWorstFirst) {
  write_workload("a", "ok");
  write_workload("b", "fail");
  const Said said = run({"run", "a.yaml", "b.yaml", "--gpu", "none"});
  EXPECT_EQ(said.code, 4);
  EXPECT_THAT(said.out, EndsWith("\n\nINVALID  2 results: 1 invalid, 1 no baseline\n"));
  EXPECT_THAT(run({"run", "a.yaml", "--gpu", "none"}).out, Not(HasSubstr("1 result")));
}

}  // namespace
}  // namespace perfgate::testing
