// perfgate validate --against-store: what the gates will see, and nothing is measured for it.
#include <gmock/gmock.h>

#include "tests/unit/cli/program/program.h"

namespace perfgate::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class LookingAhead : public Program {
 protected:
  void SetUp() override { write_workload("cpu", "ok"); }
  Said validate(std::vector<std::string> more = {}) {
    std::vector<std::string> words{"validate", "cpu.yaml", "--against-store", "--store", "s.db"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

TEST_F(LookingAhead, WithoutAStoreTheFileIsFineAndTheFirstStepNamed) {
  const Said said = validate();
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("cpu.yaml: ok"), HasSubstr("no store at /"),
                              HasSubstr("/s.db yet"), HasSubstr("perfgate run cpu.yaml --record")));
  EXPECT_FALSE(exists("s.db"));
}

TEST_F(LookingAhead, TheRunsOfTheStoreAreSeenForThisMachineAndForTheNewestRun) {
  for (const char* out : {"one", "two"}) {
    const Said said = run({"run", "cpu.yaml", "--gpu", "none", "--out", out, "--store", "s.db",
                           "--record", "--on-inconclusive", "pass", "--on-suspected", "pass"});
    ASSERT_THAT(said.out, HasSubstr("recorded in s.db")) << said.err;
  }
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, std::vector<std::string>{"--gpu", "none"}}) {
    const Said said = validate(more);
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.out, AllOf(HasSubstr("2 runs on branch main"), HasSubstr("step_time_p50"),
                                HasSubstr("smallest honest")));
  }
  const Said json = validate({"--json"});
  EXPECT_EQ(json.code, 0) << json.err;
  EXPECT_THAT(json.out, AllOf(HasSubstr("\"problems\": ["), HasSubstr("\"outlooks\": ["),
                              HasSubstr("\"runs\": 2")));
  EXPECT_THAT(validate({"--branch", "other"}).out, HasSubstr("no run of this workload on branch"));
}

TEST_F(LookingAhead, ABrokenFileIsTwoAndABrokenStoreFour) {
  write("s.db", std::string(8192, 'x'));
  const Said broken = validate();
  EXPECT_EQ(broken.code, 4);
  EXPECT_THAT(broken.err, HasSubstr("s.db"));
  EXPECT_THAT(broken.out, HasSubstr("cpu.yaml: ok"));
  write("bad.yaml", "perfgate: 1\nname: bad\n");
  const Said both = validate({"bad.yaml"});
  EXPECT_EQ(both.code, 2);
  EXPECT_EQ(run({"validate", "cpu.yaml", "bad.yaml", "--against-store"}).code, 2);
}

TEST_F(LookingAhead, OptionsOfTheStoreAreNotTakenInSilence) {
  const Said said = run({"validate", "cpu.yaml", "--store", "s.db"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, HasSubstr("--against-store is not there"));
  EXPECT_THAT(run({"validate", "cpu.yaml"}).out, Not(HasSubstr("baseline")));
}

}  // namespace
}  // namespace perfgate::testing
