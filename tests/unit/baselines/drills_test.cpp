// Drills are kept as they came out, beside the runs and never among them.
#include "baselines/drills.h"

#include <limits>

#include <gtest/gtest.h>

#include "baselines/maintenance.h"
#include "tests/unit/baselines/run_builder.h"

namespace perfgate::baselines {
namespace {

DrillTrial trial_of(const std::string& utc, int run, int place) {
  DrillTrial trial;
  trial.workload_name = "decode_8b";
  trial.workload_digest = kDecodeDigest;
  trial.environment_key = "environment";
  trial.instance = "GPU-1";
  trial.drill_utc = utc;
  trial.run = run;
  trial.place = place;
  trial.seed = std::int64_t{1} << 40;
  trial.commit = "c0ffee";
  trial.planted = Planted::host_delay;
  trial.size_ratio = 0.01;
  trial.size_us = 42.7;
  trial.step_ms = 4.27;
  trial.outcome = Outcome::fail;
  trial.change_ratio = 0.0102;
  trial.finds_from_ratio = 0.004;
  trial.processes = 42;
  trial.seconds = 88.5;
  return trial;
}

TEST(Drills, ComeBackAsTheyWereByTimeRunAndPlace) {
  const TemporaryFolder folder;
  Store store = recording(folder / "a.db");
  DrillTrial quiet = trial_of("2026-01-01T00:00:00Z", 0, 0);
  quiet.planted = Planted::nothing;
  quiet.size_ratio = quiet.size_us = 0.0;
  quiet.outcome = Outcome::inconclusive;
  quiet.change_ratio = -0.001;
  quiet.finds_from_ratio.reset();
  ASSERT_TRUE(record_drill(store, trial_of("2026-02-02T00:00:00Z", 0, 0)).ok());
  ASSERT_TRUE(record_drill(store, trial_of("2026-01-01T00:00:00Z", 0, 1)).ok());
  ASSERT_TRUE(record_drill(store, quiet).ok());
  const auto read = drill_trials(store, kDecodeDigest);
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read.value().size(), 3U);
  EXPECT_EQ(read.value()[0].planted, Planted::nothing);
  EXPECT_EQ(read.value()[0].outcome, Outcome::inconclusive);
  EXPECT_EQ(read.value()[0].change_ratio, -0.001);
  EXPECT_FALSE(read.value()[0].finds_from_ratio.has_value());
  EXPECT_EQ(read.value()[1].place, 1);
  const DrillTrial& last = read.value()[2];
  EXPECT_EQ(last.drill_utc, "2026-02-02T00:00:00Z");
  EXPECT_EQ(last.seed, std::int64_t{1} << 40);
  EXPECT_EQ(last.instance, "GPU-1");
  EXPECT_EQ(last.commit, "c0ffee");
  EXPECT_EQ(last.size_us, 42.7);
  EXPECT_EQ(last.step_ms, 4.27);
  EXPECT_EQ(last.finds_from_ratio, 0.004);
  EXPECT_EQ(last.processes, 42);
  EXPECT_EQ(last.seconds, 88.5);
  EXPECT_TRUE(list_runs(store).value().empty()) << "they are no runs of the baseline";
}

TEST(Drills, TheSameOneTwiceIsOneAndOtherWorkloadsAreNotMixedIn) {
  const TemporaryFolder folder;
  Store store = recording(folder / "a.db");
  ASSERT_TRUE(record_drill(store, trial_of("t", 0, 0)).ok());
  ASSERT_TRUE(record_drill(store, trial_of("t", 0, 0)).ok());
  EXPECT_EQ(drill_trials(store, kDecodeDigest).value().size(), 1U);
  EXPECT_TRUE(drill_trials(store, "another").value().empty());
}

TEST(Drills, ABadOneIsRefused) {
  const TemporaryFolder folder;
  Store store = recording(folder / "a.db");
  DrillTrial bad = trial_of("t", 0, 0);
  bad.size_us = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(record_drill(store, bad).error().code, ErrorCode::usage);
  bad = trial_of("t", 0, 2);
  EXPECT_FALSE(record_drill(store, bad).ok());
  bad = trial_of("t", 0, 0);
  bad.planted = Planted::nothing;
  EXPECT_FALSE(record_drill(store, bad).ok()) << "nothing has no size";
  EXPECT_TRUE(drill_trials(store, kDecodeDigest).value().empty());
}

}  // namespace
}  // namespace perfgate::baselines
