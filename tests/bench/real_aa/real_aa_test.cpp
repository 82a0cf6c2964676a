// The measured runs are read as they are written, and what is no run is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/bench/real_aa/experiments.h"
#include "tests/bench/real_aa/runs.h"

namespace perfgate::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string run_line(const std::string& occasion, int run, const std::string& medians) {
  return R"({"workload":"w","gpu":"A","occasion":")" + occasion + R"(","run":)" +
         std::to_string(run) + R"(,"ms":[)" + medians + "]}\n";
}

std::string arm_line(const std::string& arm, const std::string& medians) {
  return R"({"workload":"w","gpu":"A","session":3,"arm":")" + arm +
         R"(","planted":"spin_us=21","ms":[)" + medians + "]}\n";
}

TEST(RealRuns, OccasionsKeepTheirRunsAndProcessesInOrder) {
  const auto read =
      read_runs(run_line("t1", 0, "1,2") + run_line("t1", 1, "3,4") + run_line("t2", 0, "5,6") +
                R"({"workload":"w","gpu":"A","occasion":"t1","run":2,"planted":"p","ms":[9,9]})"
                "\n" +
                arm_line("base", "1,1") + arm_line("head", "2,2"));
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_THAT(read.value(), SizeIs(1));
  const MeasuredWorkload& workload = read.value()[0];
  ASSERT_THAT(workload.occasions, SizeIs(2));
  EXPECT_THAT(workload.occasions[0].processes(), ElementsAre(1, 2, 3, 4));
  ASSERT_THAT(workload.occasions[0].planted, SizeIs(1));
  EXPECT_THAT(workload.occasions[0].planted[0].run.medians_ms, ElementsAre(9, 9));
  ASSERT_THAT(workload.planted, SizeIs(1));
  EXPECT_THAT(workload.planted[0].head, ElementsAre(2, 2));
}

TEST(RealRuns, WhatIsNoRunIsNamedByItsLine) {
  EXPECT_THAT(read_runs(run_line("t", 0, "1") + "{}\n").error().message, HasSubstr("line 2"));
  EXPECT_THAT(read_runs(run_line("t", 0, "\"x\"")).error().message, HasSubstr("line 1"));
  EXPECT_THAT(read_runs(arm_line("base", "1,1") + arm_line("head", "1")).error().message,
              HasSubstr("differ in length"));
}

/// 12 runs of 5 steady processes with 0.02 % between them.
MeasuredWorkload steady() {
  MeasuredWorkload workload;
  workload.occasions.resize(1);
  workload.occasions[0].gpu = "A";
  for (int run = 0; run < 12; ++run) {
    AaRun medians;
    for (int i = 0; i < 5; ++i) medians.medians_ms.push_back(4.49 + 0.001 * ((run + 2 * i) % 3));
    workload.occasions[0].runs.push_back(medians);
  }
  return workload;
}

TEST(RealRuns, TheGatePassesThemAndFailsWhatIsSlower) {
  const MeasuredWorkload workload = steady();
  const ByPlanted sessions = sessions_as_measured(workload);
  EXPECT_EQ(sessions[0].pass.count, sessions[0].pass.total);
  EXPECT_GT(sessions[0].pass.total, 0);
  EXPECT_EQ(sessions[3].fail.count, sessions[3].fail.total) << "+10 %";
  const ByPlanted store = store_as_measured(workload);
  EXPECT_EQ(store[0].pass.total, 2) << "the runs behind the first ten";
  EXPECT_EQ(store[0].fail.count, 0);
  EXPECT_EQ(store[3].fail.count, 2);
}

TEST(RealRuns, ReallySlowerRunsStandAgainstTheRunsOfTheirOccasion) {
  MeasuredWorkload workload = steady();
  AaRun slower = workload.occasions[0].runs[0];
  for (double& ms : slower.medians_ms) ms *= 1.02;
  workload.occasions[0].planted = {{"spin_us=90", slower}, {"other", slower}};
  const Outcomes outcomes = planted_store(workload, "spin_us=90");
  EXPECT_EQ(outcomes.fail.count, 1);
  EXPECT_EQ(outcomes.fail.total, 1);
  EXPECT_EQ(workload.occasions[0].processes().size(), 60U) << "they are no A/A runs";
}

TEST(RealRuns, DrawsDependOnTheSeedAloneNotOnTheThreads) {
  const MeasuredWorkload workload = steady();
  const ByPlanted one = store_drawn(workload, 20, 1, 7);
  const ByPlanted two = store_drawn(workload, 20, 2, 7);
  EXPECT_EQ(one[1].fail.count, two[1].fail.count);
  EXPECT_EQ(one[0].pass.total, 20);
}

}  // namespace
}  // namespace perfgate::bench
