// What a drill plants, in which order, and what its trials say of the gate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/cli/drill/drill_report.h"
#include "runner/cli/drill/trial.h"

namespace perfgate::cli {
namespace {

using baselines::DrillTrial;
using baselines::Planted;
using ::testing::AllOf;
using ::testing::HasSubstr;

DrillTrial trial_of(Planted planted, Outcome outcome, std::optional<double> finds_from = 0.004) {
  DrillTrial trial;
  trial.workload_name = "decode_8b";
  trial.workload_digest = "digest";
  trial.environment_key = "environment";
  trial.planted = planted;
  if (planted != Planted::nothing) {
    trial.size_ratio = 0.01;
    trial.size_us = 42.7;
  }
  trial.outcome = outcome;
  trial.finds_from_ratio = finds_from;
  return trial;
}

TEST(DrillSize, IsAPercentage) {
  EXPECT_EQ(parse_drill_size("1%").value(), 0.01);
  EXPECT_EQ(parse_drill_size("0.5 %").value(), 0.005);
  EXPECT_EQ(parse_drill_size("5").error().message, "--size '5' has no %");
  for (const char* bad : {"", "%", "1", "-1%", "0%", "101%", "nan%", "inf%", "1%%", "1us"})
    EXPECT_EQ(parse_drill_size(bad).error().code, ErrorCode::usage) << bad;
}

TEST(DrillOrder, FollowsFromTheSeedAndIsEitherOneAboutHalfOfTheTime) {
  int first = 0;
  for (int run = 0; run < 1000; ++run) {
    first += slower_first(8817, run) ? 1 : 0;
    EXPECT_EQ(slower_first(8817, run), slower_first(8817, run));
  }
  EXPECT_GT(first, 450);
  EXPECT_LT(first, 550);
  int of_first_runs = 0;
  for (int seed = 0; seed < 1000; ++seed) of_first_runs += slower_first(seed, 0) ? 1 : 0;
  EXPECT_GT(of_first_runs, 450) << "a call has one run only, as a rule";
  EXPECT_LT(of_first_runs, 550);
}

TEST(DrillArms, OfABuiltInBothLaunchTheKernel) {
  const ArmChoice quiet = arm_with(Planted::spin, 0.0);
  const ArmChoice slower = arm_with(Planted::spin, 42.75);
  EXPECT_EQ(quiet.environment.at("PERFGATE_INJECT"), "spin_us=0.0001");
  EXPECT_EQ(slower.environment.at("PERFGATE_INJECT"), "spin_us=42.75");
  EXPECT_FALSE(slower.step_delay_us.has_value());
  EXPECT_EQ(quiet.how, slower.how) << "no report tells them apart";
}

TEST(DrillArms, OfACommandBothCarryTheProbe) {
  EXPECT_EQ(arm_with(Planted::host_delay, 0.0).step_delay_us, 0.0);
  EXPECT_EQ(arm_with(Planted::host_delay, 42.75).step_delay_us, 42.75);
  EXPECT_TRUE(arm_with(Planted::host_delay, 42.75).environment.empty());
}

TEST(DrillVerdict, OnlyAFalseFailAndABrokenPromiseAreWrong) {
  const auto code = [](const DrillTrial& trial) { return exit_code(verdict_on(trial)); };
  EXPECT_EQ(code(trial_of(Planted::nothing, Outcome::pass)), 0);
  EXPECT_EQ(code(trial_of(Planted::nothing, Outcome::suspected)), 0);
  EXPECT_EQ(code(trial_of(Planted::nothing, Outcome::fail)), 1);
  EXPECT_EQ(code(trial_of(Planted::spin, Outcome::fail)), 0);
  EXPECT_EQ(code(trial_of(Planted::spin, Outcome::pass)), 1);
  EXPECT_EQ(code(trial_of(Planted::spin, Outcome::suspected)), 1);
  EXPECT_EQ(code(trial_of(Planted::spin, Outcome::pass, 0.02)), 0) << "too small to be found";
  EXPECT_EQ(code(trial_of(Planted::spin, Outcome::pass, std::nullopt)), 0) << "nothing promised";
  EXPECT_EQ(code(trial_of(Planted::spin, Outcome::not_comparable)), 3);
}

TEST(DrillReports, CountEachSizeApartAndLeaveOutWhatWasNotJudged) {
  std::vector<DrillTrial> trials(4, trial_of(Planted::spin, Outcome::fail));
  trials.push_back(trial_of(Planted::spin, Outcome::inconclusive));
  trials.push_back(trial_of(Planted::spin, Outcome::not_comparable));
  trials.push_back(trial_of(Planted::nothing, Outcome::pass));
  trials.push_back(trial_of(Planted::spin, Outcome::fail));
  trials.back().size_ratio = 0.02;
  const auto reports = drill_reports(trials);
  ASSERT_EQ(reports.size(), 1U);
  ASSERT_EQ(reports[0].rates.size(), 3U);
  EXPECT_EQ(reports[0].rates[0].planted, Planted::nothing);
  EXPECT_EQ(reports[0].rates[0].failed, 0);
  const DrillRate& one_percent = reports[0].rates[1];
  EXPECT_EQ(one_percent.trials, 5);
  EXPECT_EQ(one_percent.failed, 4);
  EXPECT_EQ(one_percent.inconclusive, 1);
  EXPECT_EQ(one_percent.not_judged, 1);
  EXPECT_NEAR(one_percent.share.low, 0.376, 0.001);
  const std::string text = drill_text(reports[0], {false, 80, true});
  EXPECT_THAT(text, AllOf(HasSubstr("decode_8b: 8 trials, environment environmen\n"),
                          HasSubstr("80.0 %"), HasSubstr("37.6 to 96.4 %"), HasSubstr("power"),
                          HasSubstr("1 trial could not be judged")));
}

TEST(DrillReports, KeepEnvironmentsApart) {
  std::vector<DrillTrial> trials{trial_of(Planted::nothing, Outcome::pass),
                                 trial_of(Planted::nothing, Outcome::fail)};
  trials.back().environment_key = "other";
  EXPECT_EQ(drill_reports(trials).size(), 2U);
}

TEST(DrillLine, SaysWhatWasPlantedAndWhatCameOut) {
  DrillTrial trial = trial_of(Planted::spin, Outcome::fail);
  trial.run = 1;
  trial.place = 1;
  trial.change_ratio = 0.0102;
  trial.processes = 42;
  trial.seconds = 88.4;
  EXPECT_EQ(trial_line(trial),
            "run 2, second: 42.7 us (1.00 %) a step by spin: FAIL, measured +1.02 %; 42 processes, "
            "88 s\n");
  EXPECT_THAT(trial_line(trial_of(Planted::nothing, Outcome::fail)),
              HasSubstr("\n  wrong: a FAIL where nothing was planted\n"));
}

}  // namespace
}  // namespace perfgate::cli
