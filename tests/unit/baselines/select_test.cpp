// The baseline is what a person would call comparable, and says which runs it is.
#include "baselines/select.h"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/noise_runs.h"
#include "baselines/record.h"
#include "tests/unit/baselines/run_builder.h"

namespace perfgate::baselines {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SelectionQuery decode_query() {
  SelectionQuery query;
  query.workload_name = "decode_8b";
  query.workload_digest = kDecodeDigest;
  query.branch = "main";
  query.fingerprint = h200();
  return query;
}

std::vector<std::string> commits(const Selection& selection) {
  std::vector<std::string> found;
  if (selection.series.empty()) return found;
  for (const BaselinePoint& point : selection.series.front().points) found.push_back(point.commit);
  return found;
}

class SelectTest : public ::testing::Test {
 protected:
  SelectTest() : store_(recording(folder_ / "s.db")) {}
  std::string add(const RunResult& run, const std::string& digest = kDecodeDigest) {
    const auto outcome = record(store_, run, digest);
    EXPECT_TRUE(outcome.ok()) << outcome.error().message;
    return outcome.value().digest;
  }
  Selection selected(const SelectionQuery& query) {
    auto selection = select(store_, query);
    EXPECT_TRUE(selection.ok()) << selection.error().message << selection.error().context;
    return selection.value();
  }
  TemporaryFolder folder_;
  Store store_;
};

TEST_F(SelectTest, AnEmptyStoreHasNoBaseline) {
  const Selection selection = selected(decode_query());
  EXPECT_FALSE(selection.choice.exists);
  EXPECT_THAT(selection.choice.comparability.environment, IsEmpty());
  EXPECT_THAT(selection.series, IsEmpty());
}

TEST_F(SelectTest, AWorkloadIsNewOnlyWhereTheBranchHasRunsOfOthers) {
  EXPECT_FALSE(selected(decode_query()).others_only);
  RunResult other = decode_run(0);
  other.workload_name = "prefill";
  other.identity.branch = "feature";
  add(other);
  EXPECT_FALSE(selected(decode_query()).others_only);
  other.identity.branch = "main";
  add(other);
  EXPECT_TRUE(selected(decode_query()).others_only);
  add(decode_run(1), std::string(64, '7'));  // of another version of its file
  EXPECT_FALSE(selected(decode_query()).others_only);
}

TEST_F(SelectTest, TakesTheRunsOldestFirstAndNamesTheNewest) {
  for (const int number : {2, 0, 1}) add(decode_run(number));
  const Selection selection = selected(decode_query());
  ASSERT_TRUE(selection.choice.exists);
  EXPECT_EQ(selection.choice.commit, "commit2");
  EXPECT_EQ(selection.choice.how, "store: 3 runs on branch main, newest commit2 (2025-10-12)");
  EXPECT_THAT(commits(selection), ElementsAre("commit0", "commit1", "commit2"));
  const BaselinePoint& point = selection.series.at(0).points.at(1);
  EXPECT_DOUBLE_EQ(point.value, 4.271);
  EXPECT_EQ(point.samples.size(), 3U);
  EXPECT_EQ(point.instance, "GPU-1");
}

TEST_F(SelectTest, AtMostThirtyRunsTheNewest) {
  for (int i = 0; i < 35; ++i) add(decode_run(i));
  const Selection selection = selected(decode_query());
  ASSERT_EQ(selection.series.at(0).points.size(), 30U);
  EXPECT_EQ(selection.series.at(0).points.front().commit, "commit5");
}

TEST_F(SelectTest, ARunIsNotItsOwnBaseline) {
  add(decode_run(0));
  add(decode_run(1));
  SelectionQuery query = decode_query();
  query.exclude_digest = run_digest(decode_run(1), kDecodeDigest).value();
  EXPECT_THAT(commits(selected(query)), ElementsAre("commit0"));
}

TEST_F(SelectTest, OtherBranchesAndSourcesDoNotServe) {
  RunResult branch = decode_run(0);
  branch.identity.branch = "feature";
  add(branch);
  RunResult replayed = decode_run(1);
  replayed.source = RunSource::replayed;
  add(replayed);
  EXPECT_FALSE(selected(decode_query()).choice.exists);
  SelectionQuery replay = decode_query();
  replay.replay_store = true;
  EXPECT_THAT(commits(selected(replay)), ElementsAre("commit1"));
}

TEST_F(SelectTest, AnAncestryLimitsTheRunsToItsCommits) {
  for (int i = 0; i < 5; ++i) add(decode_run(i));
  SelectionQuery query = decode_query();
  query.branch.clear();
  query.ancestry = {"not-measured", "commit3", "commit2", "commit1"};
  const Selection selection = selected(query);
  EXPECT_EQ(selection.choice.commit, "commit3");
  EXPECT_THAT(selection.choice.how, HasSubstr("nearest measured ancestor commit3"));
  EXPECT_THAT(commits(selection), ElementsAre("commit1", "commit2", "commit3"));
}

TEST_F(SelectTest, RunsOfNoAncestorAreNoBaselineAndAreNamed) {
  add(decode_run(4));
  SelectionQuery query = decode_query();
  query.ancestry = {"commit3", "commit2"};
  const Selection selection = selected(query);
  EXPECT_FALSE(selection.choice.exists);
  EXPECT_TRUE(selection.choice.no_ancestor);
  EXPECT_EQ(selection.choice.how,
            "store: no run of an ancestor of this commit on branch main; the newest is of commit4 "
            "(2025-10-14), which it did not grow from");
}

TEST_F(SelectTest, ALevelMarkStartsANewLevel) {
  std::vector<std::string> digests;
  for (int i = 0; i < 5; ++i) digests.push_back(add(decode_run(i)));
  ASSERT_TRUE(mark_level(store_, {digests[3], "", LevelMark::Kind::accept, "why", "t"}).ok());
  EXPECT_THAT(commits(selected(decode_query())), ElementsAre("commit3", "commit4"));
  SelectionQuery before = decode_query();
  before.ancestry = {"commit2", "commit1"};
  EXPECT_THAT(commits(selected(before)), ElementsAre("commit1", "commit2"))
      << "a level that begins after the ancestor does not hide the ancestor";
}

TEST_F(SelectTest, ACutAncestryDoesNotSayWhatIsNoAncestor) {
  add(decode_run(4));
  SelectionQuery query = decode_query();
  query.ancestry = {"commit3", "commit2"};
  query.ancestry_is_cut = true;
  EXPECT_EQ(selected(query).choice.how,
            "store: no run of an ancestor of this commit (of 2 that were looked at) on branch "
            "main; the newest is of commit4 (2025-10-14), which is none of them");
}

TEST_F(SelectTest, AMarkCutsByItsPlaceOnTheLineNotByItsDate) {
  // commit1 was measured again after all others, and a level began there.
  std::vector<std::string> digests;
  for (const int number : {0, 2, 3}) digests.push_back(add(decode_run(number)));
  RunResult late = decode_run(9);
  late.identity.commit = "commit1";
  const std::string marked = add(late);
  ASSERT_TRUE(mark_level(store_, {marked, "", LevelMark::Kind::accept, "why", "t"}).ok());
  SelectionQuery query = decode_query();
  query.ancestry = {"commit3", "commit2", "commit1", "commit0"};
  EXPECT_THAT(commits(selected(query)), ElementsAre("commit1", "commit2", "commit3"))
      << "later commits that were measured before it are of its level, the commit before is not";
  // Of two marks the nearer one counts, though the other's run is the newer.
  ASSERT_TRUE(mark_level(store_, {digests[1], "", LevelMark::Kind::accept, "why", "t"}).ok());
  EXPECT_THAT(commits(selected(query)), ElementsAre("commit2", "commit3"));
}

TEST_F(SelectTest, AmongTheRunsOfOneCommitAMarkCutsByDate) {
  add(decode_run(0));
  RunResult again = decode_run(1);
  again.identity.commit = "commit0";
  const std::string marked = add(again);
  ASSERT_TRUE(mark_level(store_, {marked, "", LevelMark::Kind::accept, "why", "t"}).ok());
  SelectionQuery query = decode_query();
  query.ancestry = {"commit0"};
  EXPECT_THAT(commits(selected(query)), ElementsAre("commit0"));
}

TEST_F(SelectTest, APinOfACommitThatThisOneDidNotGrowFromDoesNotCount) {
  std::vector<std::string> digests;
  for (int i = 0; i < 4; ++i) digests.push_back(add(decode_run(i)));
  const double first = decode_run(0).metrics[0].value;
  const double last = decode_run(3).metrics[0].value;
  const SeriesKey key{kDecodeDigest, environment_key(h200()), "step_time_p50"};
  ASSERT_TRUE(pin(store_, {key, first, "why", "2025-01-01", digests[0]}).ok());
  ASSERT_TRUE(pin(store_, {key, last, "why", "2025-02-01", digests[3]}).ok());
  SelectionQuery query = decode_query();
  EXPECT_EQ(selected(query).series.at(0).pinned, last)
      << "where nothing is known the newest counts";
  query.ancestry = {"commit2", "commit1", "commit0"};
  EXPECT_EQ(selected(query).series.at(0).pinned, first);
  query.ancestry = {"commit2", "commit1"};
  EXPECT_EQ(selected(query).series.at(0).pinned, std::nullopt);
  query.ancestry_is_cut = true;
  EXPECT_EQ(selected(query).series.at(0).pinned, last)
      << "whether commit3 lies beyond the end of the line is not known";
}

TEST_F(SelectTest, AMarkOfOneMetricCutsThatMetricOnly) {
  std::vector<std::string> digests;
  for (int i = 0; i < 4; ++i) {
    RunResult run = decode_run(i);
    run.metrics.push_back(run.metrics[0]);
    run.metrics[1].id = "gpu_idle_ms";
    digests.push_back(add(run));
  }
  ASSERT_TRUE(
      mark_level(store_, {digests[2], "gpu_idle_ms", LevelMark::Kind::change, "why", "t"}).ok());
  const Selection selection = selected(decode_query());
  ASSERT_EQ(selection.series.size(), 2U);
  EXPECT_EQ(selection.series[0].metric, "gpu_idle_ms");
  EXPECT_EQ(selection.series[0].points.size(), 2U);
  EXPECT_EQ(selection.series[1].points.size(), 4U);
  EXPECT_TRUE(selection.choice.how.ends_with(
      "; gpu_idle_ms since run 3 (2 runs; its level began anew there)"))
      << selection.choice.how;
}

TEST_F(SelectTest, ADirectionThatTurnedIsAnotherSeries) {
  RunResult before = decode_run(0);
  add(before);
  RunResult after = decode_run(1);
  after.metrics[0].better = Better::higher;
  add(after);
  const Selection selection = selected(decode_query());
  ASSERT_EQ(selection.series.size(), 2U);
  EXPECT_EQ(selection.series[0].better, Better::lower);
  EXPECT_EQ(selection.series[1].better, Better::higher);
  EXPECT_EQ(selection.series[1].points.size(), 1U);
}

TEST_F(SelectTest, OfOneTimeTheLaterRecordedAreTheNewer) {
  for (const int number : {0, 1, 2, 3}) {
    RunResult run = decode_run(number);
    run.identity.started_utc = "2025-10-10T00:00:00Z";
    add(run);
  }
  SelectionQuery query = decode_query();
  query.max_runs = 2;
  EXPECT_THAT(commits(selected(query)), ElementsAre("commit2", "commit3"));
  query.ancestry = {"commit3", "commit0", "commit1", "commit0"};
  EXPECT_THAT(commits(selected(query)), ElementsAre("commit0", "commit3"))
      << "nearer first, and of a commit that stands twice the nearer place";
}

TEST_F(SelectTest, TheNewestPinAndCalibrationCount) {
  add(decode_run(0));
  const SeriesKey key{kDecodeDigest, environment_key(h200()), "step_time_p50"};
  ASSERT_TRUE(pin(store_, {key, 4.0, "first", "2025-01-01"}).ok());
  ASSERT_TRUE(pin(store_, {key, 4.1, "second", "2025-02-01"}).ok());
  ASSERT_TRUE(calibrate(store_, {key, 0.002, 3, "2025-01-01"}).ok());
  const Selection selection = selected(decode_query());
  EXPECT_EQ(selection.series.at(0).pinned, 4.1);
  EXPECT_EQ(selection.series.at(0).calibrated_sd_ratio, 0.002);
  EXPECT_EQ(selection.series.at(0).pinned_instance, "") << "of no known run";
}

TEST_F(SelectTest, APinComesWithTheGpuOfItsRun) {
  const std::string digest = add(decode_run(0, 4.27));
  const SeriesKey key{kDecodeDigest, environment_key(h200()), "step_time_p50"};
  const double level = selected(decode_query()).series.at(0).points.at(0).value;
  ASSERT_TRUE(pin(store_, {key, level, "why", "2025-01-01", digest}).ok());
  EXPECT_EQ(selected(decode_query()).series.at(0).pinned_instance, "GPU-1");
}

TEST_F(SelectTest, ACalibratedSeriesHasItsAaRunsByOccasionAndGpu) {
  add(decode_run(0));
  const SeriesKey key{kDecodeDigest, environment_key(h200()), "step_time_p50"};
  const auto point = [&](const std::string& gpu, const std::string& utc, int run, double value) {
    return NoisePoint{
        .key = key, .instance = gpu, .occasion_utc = utc, .run = run, .unit = "ms", .value = value};
  };
  std::vector points{point("GPU-2", "t1", 0, 4.1), point("GPU-1", "t1", 1, 4.2),
                     point("GPU-1", "t1", 0, 4.3), point("GPU-1", "t2", 0, 4.4)};
  points.push_back(point("GPU-1", "t3", 0, 4.5));
  points.back().unit = "us";
  points.push_back(point("GPU-1", "t4", 0, 4.6));
  points.back().measure_version = kMeasureVersion + 1;
  ASSERT_TRUE(record_noise(store_, points).ok());
  EXPECT_THAT(selected(decode_query()).series.at(0).aa_occasions, IsEmpty()) << "not calibrated";
  ASSERT_TRUE(calibrate(store_, {key, 0.002, 3, "2025-01-01"}).ok());
  const auto occasions = selected(decode_query()).series.at(0).aa_occasions;
  ASSERT_EQ(occasions.size(), 3U);
  EXPECT_EQ(occasions[0].instance, "GPU-1");
  EXPECT_THAT(occasions[0].values, ElementsAre(4.3, 4.2));
  EXPECT_THAT(occasions[1].values, ElementsAre(4.4));
  EXPECT_EQ(occasions[2].instance, "GPU-2");
}

TEST_F(SelectTest, TwoUnitsAreTwoSeriesAndAPinKeepsItsOwn) {
  const std::string seconds = add(decode_run(0, 0.00427));
  for (int i = 1; i < 4; ++i) {
    RunResult run = decode_run(i);
    run.metrics[0].unit = "us";
    add(run);
  }
  const SeriesKey key{kDecodeDigest, environment_key(h200()), "step_time_p50"};
  ASSERT_TRUE(pin(store_, {key, 0.00427, "why", "2025-01-01", seconds}).ok());
  const Selection selection = selected(decode_query());
  ASSERT_EQ(selection.series.size(), 2U);
  EXPECT_EQ(selection.series[0].unit, "ms");
  EXPECT_EQ(selection.series[0].points.size(), 1U);
  EXPECT_EQ(selection.series[0].pinned, 0.00427);
  EXPECT_EQ(selection.series[1].unit, "us");
  EXPECT_EQ(selection.series[1].points.size(), 3U);
  EXPECT_EQ(selection.series[1].pinned, std::nullopt);
}

TEST_F(SelectTest, AnEqualWorkloadOfAnotherNameLendsNeitherItsPinNorItsLevel) {
  for (int i = 0; i < 3; ++i) add(decode_run(i));
  RunResult other = decode_run(8);
  other.workload_name = "decode_8b_again";
  const std::string digest = add(other);
  const SeriesKey key{kDecodeDigest, environment_key(h200()), "step_time_p50"};
  ASSERT_TRUE(pin(store_, {key, 9.0, "why", "2025-01-01", digest}).ok());
  ASSERT_TRUE(mark_level(store_, {digest, "", LevelMark::Kind::accept, "why", "t"}).ok());
  const Selection selection = selected(decode_query());
  ASSERT_EQ(selection.series.size(), 1U);
  EXPECT_EQ(selection.series[0].points.size(), 3U);
  EXPECT_EQ(selection.series[0].pinned, std::nullopt);
}

TEST_F(SelectTest, AnotherEnvironmentIsNamedNotCompared) {
  add(decode_run(0));
  SelectionQuery query = decode_query();
  query.fingerprint.environment["driver"] = "590.10";
  query.fingerprint.environment["power_limit_w"] = "500";
  const Selection selection = selected(query);
  EXPECT_FALSE(selection.choice.exists);
  const auto& rows = selection.choice.comparability.environment;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].key, "driver");
  EXPECT_EQ(rows[0].base, "580.65");
  EXPECT_EQ(rows[0].head, "590.10");
  EXPECT_EQ(rows[1].base, "unknown");
}

TEST_F(SelectTest, AChangedWorkloadOrMeasuringVersionIsAnEnvironmentDifference) {
  add(decode_run(0));
  SelectionQuery workload = decode_query();
  workload.workload_digest = "edited";
  EXPECT_EQ(selected(workload).choice.comparability.environment.at(0).key, "workload_digest");
  SelectionQuery version = decode_query();
  version.measure_version = kMeasureVersion + 1;
  EXPECT_EQ(selected(version).choice.comparability.environment.at(0).key, "measure_version");
}

TEST_F(SelectTest, AChangedSubjectIsListedAndStillCompared) {
  add(decode_run(0));
  SelectionQuery query = decode_query();
  query.fingerprint.subject["cuda"] = "13.1";
  query.fingerprint.instance["gpu_uuid"] = "GPU-2";
  const Selection selection = selected(query);
  EXPECT_TRUE(selection.choice.exists);
  EXPECT_EQ(selection.choice.comparability.subject.at(0).key, "cuda");
  EXPECT_FALSE(selection.choice.comparability.same_instance);
}

TEST_F(SelectTest, OnlyTheMetricsAskedFor) {
  RunResult run = decode_run(0);
  run.metrics.push_back(run.metrics[0]);
  run.metrics[1].id = "gpu_idle_ms";
  add(run);
  SelectionQuery query = decode_query();
  query.metrics = {"gpu_idle_ms", "not there"};
  const Selection selection = selected(query);
  ASSERT_EQ(selection.series.size(), 1U);
  EXPECT_EQ(selection.series[0].metric, "gpu_idle_ms");
}

}  // namespace
}  // namespace perfgate::baselines
