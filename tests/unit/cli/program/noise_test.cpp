// perfgate calibrate --noise: occasion after occasion until the SD from run to run counts.
#include <gmock/gmock.h>

#include "tests/unit/cli/program/program.h"

namespace perfgate::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Scattering : public Program {
 protected:
  /// Each process is as slow as its number in the file `n` says, so that runs scatter.
  void SetUp() override {
    write("scatter.yaml",
          "perfgate: 1\nname: scatter\nrun:\n  command:\n"
          "    argv: [sh, -c, 'n=$(cat n 2>/dev/null || echo 0); n=$((n+1)); echo $n >n; "
          "for i in 1 2 3 4 5 6; do echo step 4.$((100 + n * 5 % 7)); done']\n"
          "    results: {regex: 'step ([0-9.]+)'}\n"
          "steps: {warmup: 1, measure: 5}\ntrace: {steps: 2}\ntiming: {processes: [2, 4]}\n");
  }
  Said noise(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"calibrate", "--noise", "scatter.yaml", "--gpu",
                                       "none",      "--store", "s.db"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
};

TEST_F(Scattering, ThreeOccasionsMakeTheSdCount) {
  const Said first = noise({"--runs", "3"});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out,
              AllOf(HasSubstr("scatter: 3 A/A runs on 1 occasion"), HasSubstr("step_time_p50"),
                    HasSubstr("1 occasion of 3, 2 missing until the SD counts")));
  EXPECT_EQ(read("n"), "6\n") << "the first look alone: two processes a run";
  EXPECT_THAT(noise({"--runs", "3"}).out, HasSubstr("2 occasions of 3, 1 missing"));
  const Said third = noise({"--runs", "3"});
  EXPECT_THAT(third.out,
              AllOf(HasSubstr("9 A/A runs on 3 occasions"), HasSubstr("the SD counts: the gate"),
                    HasSubstr("WARNING: 2 of the 3 occasions began within 4 hours")));

  const Said shown = noise({"--show", "--json"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("\"occasions\": 3"), HasSubstr("\"calibrated\": true")));
  EXPECT_EQ(read("n"), "18\n") << "--show measures nothing";

  const Said recorded =
      run({"run", "scatter.yaml", "--gpu", "none", "--record", "--store", "s.db"});
  EXPECT_EQ(recorded.code, 0) << recorded.out << recorded.err;
  EXPECT_THAT(recorded.out, HasSubstr("run 1 recorded")) << "A/A runs are no baseline";
  EXPECT_THAT(run({"baseline", "show", "1", "--store", "s.db"}).out,
              AllOf(HasSubstr("SD from run to run, out of A/A runs\n"),
                    HasSubstr("  step_time_p50: 0."), HasSubstr(" %, 3 occasions, 2")));
}

TEST_F(Scattering, TakesNoOptionOfTheControls) {
  const std::vector<std::vector<std::string>> of_controls{{"--out", "kept"}, {"--processes", "3"}};
  for (const auto& option : of_controls) {
    const Said said = noise(option);
    EXPECT_EQ(said.code, 2);
    EXPECT_THAT(said.err,
                AllOf(HasSubstr(option[0] + " is for the controls"), HasSubstr("--store")));
  }
  EXPECT_FALSE(exists("n")) << "nothing ran";
}

TEST_F(Scattering, IsRefusedInAPullRequestAndWithAPlantedFault) {
  const std::vector<std::string> arguments{"calibrate", "--noise", "scatter.yaml", "--gpu",
                                           "none",      "--store", "s.db"};
  const Said pull =
      run(Call{.arguments = arguments, .environment = {{"GITHUB_EVENT_NAME", "pull_request"}}});
  EXPECT_EQ(pull.code, 2);
  EXPECT_THAT(pull.err, AllOf(HasSubstr("pull-request event"), HasSubstr("base branch"),
                              Not(HasSubstr("--record"))));
  const Said planted =
      run(Call{.arguments = arguments, .environment = {{"PERFGATE_INJECT", "spin"}}});
  EXPECT_EQ(planted.code, 2);
  EXPECT_THAT(planted.err, HasSubstr("PERFGATE_INJECT"));
  EXPECT_FALSE(exists("s.db"));
  EXPECT_FALSE(exists("n"));
}

TEST_F(Scattering, WithoutAGpuAndWithoutNoiseThereIsNothingToCalibrate) {
  const Said said = run({"calibrate", "--gpu", "none"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, AllOf(HasSubstr("--gpu none asks for no GPU"), HasSubstr("--noise FILE")));
}

TEST_F(Scattering, ShowsNothingWhereNothingIsStored) {
  EXPECT_EQ(noise({"--show"}).code, 2);
  EXPECT_FALSE(exists("s.db"));
  const Said alone = run({"calibrate", "--runs", "3"});
  EXPECT_EQ(alone.code, 2);
  EXPECT_THAT(alone.err, HasSubstr("--runs is for A/A runs"));
}

TEST_F(Scattering, AWorkloadThatFailsKeepsNothingOfThatRun) {
  write_workload("failing", "fail");
  const Said said =
      run({"calibrate", "--noise", "failing.yaml", "--gpu", "none", "--store", "s.db"});
  EXPECT_EQ(said.code, 4) << said.err;
  EXPECT_THAT(said.err, HasSubstr("an A/A run cannot be used"));
  const Said shown = run({"calibrate", "--noise", "failing.yaml", "--show", "--store", "s.db"});
  EXPECT_EQ(shown.code, 2);
  EXPECT_THAT(shown.err, HasSubstr("no A/A run of failing"));
}

}  // namespace
}  // namespace perfgate::testing
