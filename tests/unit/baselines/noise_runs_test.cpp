// A/A runs are kept as they were measured, all occasions apart, and never serve as a baseline.
#include "baselines/noise_runs.h"

#include <array>
#include <limits>

#include <gtest/gtest.h>

#include "baselines/maintenance.h"
#include "baselines/stored_run.h"
#include "tests/unit/baselines/run_builder.h"

namespace perfgate::baselines {
namespace {

NoisePoint point_of(const std::string& occasion, int run, double value) {
  NoisePoint point;
  point.key = {kDecodeDigest, environment_key(h200()), "step_time_p50"};
  point.instance = "GPU-1";
  point.occasion_utc = occasion;
  point.run = run;
  point.commit = "c0ffee";
  point.unit = "ms";
  point.value = value;
  point.samples = {value, value + 0.1, value - 0.1};
  return point;
}

TEST(NoiseRuns, ComeBackAsTheyWereByOccasionAndRun) {
  const TemporaryFolder folder;
  Store store = recording(folder / "a.db");
  const std::array points{point_of("2026-02-02T00:00:00Z", 0, 4.3),
                          point_of("2026-01-01T00:00:00Z", 1, 4.2),
                          point_of("2026-01-01T00:00:00Z", 0, 4.1)};
  ASSERT_TRUE(record_noise(store, points).ok());
  const auto read = noise_points(store, kDecodeDigest);
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read.value().size(), 3U);
  EXPECT_EQ(read.value()[0].value, 4.1);
  EXPECT_EQ(read.value()[1].value, 4.2);
  const NoisePoint& last = read.value()[2];
  EXPECT_EQ(last.value, 4.3);
  EXPECT_EQ(last.samples, points[0].samples);
  EXPECT_EQ(last.key.metric, "step_time_p50");
  EXPECT_EQ(last.key.environment_key, environment_key(h200()));
  EXPECT_EQ(last.occasion_utc, "2026-02-02T00:00:00Z");
  EXPECT_EQ(last.instance, "GPU-1");
  EXPECT_EQ(last.commit, "c0ffee");
  EXPECT_EQ(last.kind, MetricKind::timed);
  EXPECT_EQ(last.unit, "ms");
  EXPECT_TRUE(list_runs(store).value().empty()) << "they are no runs of the baseline";
}

TEST(NoiseRuns, OfAnotherWorkloadOrMeasuringVersionAreNotMixedIn) {
  const TemporaryFolder folder;
  Store store = recording(folder / "a.db");
  NoisePoint other = point_of("t", 0, 4.3);
  other.key.workload_digest = "another";
  NoisePoint older = point_of("t", 1, 4.3);
  older.measure_version = kMeasureVersion + 1;
  ASSERT_TRUE(record_noise(store, std::array{other, older}).ok());
  EXPECT_TRUE(noise_points(store, kDecodeDigest).value().empty());
}

TEST(NoiseRuns, TheSameOneTwiceIsOne) {
  const TemporaryFolder folder;
  Store store = recording(folder / "a.db");
  const std::array points{point_of("t", 0, 4.3)};
  ASSERT_TRUE(record_noise(store, points).ok());
  ASSERT_TRUE(record_noise(store, points).ok());
  EXPECT_EQ(noise_points(store, kDecodeDigest).value().size(), 1U);
}

TEST(NoiseRuns, ABadOneLeavesTheStoreAsItWas) {
  const TemporaryFolder folder;
  Store store = recording(folder / "a.db");
  NoisePoint bad = point_of("t", 1, 4.3);
  bad.samples.push_back(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(record_noise(store, std::array{point_of("t", 0, 4.3), bad}).error().code,
            ErrorCode::usage);
  bad = point_of("", 1, 4.3);
  EXPECT_FALSE(record_noise(store, std::array{bad}).ok());
  EXPECT_TRUE(noise_points(store, kDecodeDigest).value().empty());
}

TEST(NoiseRuns, TheNewestCalibrationOfAMetricCounts) {
  const TemporaryFolder folder;
  Store store = recording(folder / "a.db");
  const SeriesKey key{kDecodeDigest, environment_key(h200()), "step_time_p50"};
  ASSERT_TRUE(calibrate(store, {key, 0.0007, 4, "2026-02-02T00:00:00Z"}).ok());
  ASSERT_TRUE(calibrate(store, {key, 0.0005, 3, "2026-01-01T00:00:00Z"}).ok());
  const auto found = calibrations_of(store, key.workload_digest, key.environment_key);
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found.value().size(), 1U);
  EXPECT_EQ(found.value().front().sd_ratio, 0.0007);
  EXPECT_EQ(found.value().front().occasions, 4);
  EXPECT_TRUE(calibrations_of(store, kDecodeDigest, "elsewhere").value().empty());
}

}  // namespace
}  // namespace perfgate::baselines
