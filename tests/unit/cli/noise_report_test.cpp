// From stored A/A runs to the table, the missing occasions and what is calibrated.
#include "runner/cli/noise/noise_report.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perfgate::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr render::TerminalStyle kPlain{.colour = false, .width = 100, .unicode = false};

baselines::NoisePoint point_of(const std::string& metric, int occasion, int run, double value) {
  baselines::NoisePoint point;
  point.key = {"digest", "environment", metric};
  point.occasion_utc = "2026-01-0" + std::to_string(occasion) + "T00:00:00Z";
  point.instance = "GPU-1";
  point.run = run;
  point.commit = "c0ffee";
  point.unit = "ms";
  point.value = value;
  return point;
}

/// Runs of one metric whose logs are -sd and +sd about the level on each occasion.
std::vector<baselines::NoisePoint> occasions(int count, double sd = 0.001) {
  std::vector<baselines::NoisePoint> points;
  for (int occasion = 1; occasion <= count; ++occasion) {
    for (int run = 0; run < 2; ++run) {
      points.push_back(
          point_of("step_time_p50", occasion, run, 4.27 * std::exp(run == 0 ? sd : -sd)));
    }
  }
  return points;
}

NoiseReport only_report(const std::vector<baselines::NoisePoint>& points) {
  const auto reports = noise_reports("decode_8b", points);
  EXPECT_EQ(reports.size(), 1U);
  return reports.front();
}

TEST(NoiseReport, SaysWhichOccasionsAreMissing) {
  const NoiseReport report = only_report(occasions(1));
  EXPECT_THAT(noise_text(report, kPlain),
              AllOf(HasSubstr("decode_8b: 2 A/A runs on 1 occasion, environment environmen\n"),
                    HasSubstr("1 occasion of 3, 2 missing until the SD counts: call it again on "
                              "another day, or after a reboot of the runner\n"),
                    HasSubstr("0.14 %"), HasSubstr("0.42 %"), Not(HasSubstr("note:"))));
  EXPECT_TRUE(calibrations_from(report, "t").empty());
}

TEST(NoiseReport, OccasionsOfOneHourAreWarnedOf) {
  auto points = occasions(3);
  for (baselines::NoisePoint& point : points) {
    point.occasion_utc = "2026-01-01T00:0" + point.occasion_utc.substr(9, 1) + ":00Z";
  }
  const NoiseReport report = only_report(points);
  EXPECT_EQ(report.close_occasions, 2);
  EXPECT_THAT(noise_text(report, kPlain),
              HasSubstr("WARNING: 2 of the 3 occasions began within 4 hours of the one before"));
  for (baselines::NoisePoint& point : points) point.instance = point.occasion_utc;
  EXPECT_EQ(only_report(points).close_occasions, 0) << "each of another GPU";
  EXPECT_EQ(only_report(occasions(3)).close_occasions, 0) << "each on another day";
}

TEST(NoiseReport, ThreeOccasionsCalibrate) {
  const NoiseReport report = only_report(occasions(3));
  const auto calibrations = calibrations_from(report, "t");
  ASSERT_EQ(calibrations.size(), 1U);
  EXPECT_EQ(calibrations.front().key.metric, "step_time_p50");
  EXPECT_EQ(calibrations.front().key.environment_key, "environment");
  EXPECT_EQ(calibrations.front().key.workload_digest, "digest");
  EXPECT_EQ(calibrations.front().occasions, 3);
  EXPECT_NEAR(calibrations.front().sd_ratio, 0.001 * std::sqrt(2.0), 1e-9);
  EXPECT_TRUE(baselines::check(calibrations.front()).ok());
  EXPECT_THAT(noise_text(report, kPlain),
              AllOf(HasSubstr("the SD counts: the gate"), Not(HasSubstr("missing"))));
  EXPECT_TRUE(noise_json(report).at("metrics").at(0).at("calibrated").get<bool>());
}

TEST(NoiseReport, WhatHasNoRatioOrNoSpreadCalibratesNothing) {
  std::vector<baselines::NoisePoint> points;
  for (int occasion = 1; occasion <= 3; ++occasion) {
    for (int run = 0; run < 2; ++run) {
      points.push_back(point_of("constant", occasion, run, 2.0));
      points.push_back(point_of("idle", occasion, run, run));
      points.push_back(point_of("launches", occasion, run, 7.0 + run));
      points.back().kind = MetricKind::counted;
    }
  }
  const NoiseReport report = only_report(points);
  EXPECT_TRUE(calibrations_from(report, "t").empty());
  ASSERT_EQ(report.rows.size(), 2U) << "counts are exact and have no SD";
  EXPECT_EQ(report.rows.back().metric, "idle");
  EXPECT_EQ(report.rows.back().noise.scale, gates::Scale::linear);
  EXPECT_EQ(noise_json(report).at("metrics").at(1).at("scale"), "linear");
}

TEST(NoiseReport, OtherEnvironmentsAndUnitsStandApart) {
  auto points = occasions(2);
  points.back().unit = "s";
  points.push_back(point_of("step_time_p50", 1, 0, 9.0));
  points.back().key.environment_key = "other";
  const auto reports = noise_reports("decode_8b", points);
  ASSERT_EQ(reports.size(), 2U);
  EXPECT_EQ(reports.front().rows.size(), 2U);
  EXPECT_NEAR(reports.back().rows.front().noise.level, 9.0, 1e-12);
  EXPECT_THAT(noise_text(reports.back(), kPlain), HasSubstr("one run only"));
}

TEST(NoiseReport, SaysWhatElseMayBeInTheSd) {
  auto points = occasions(3);
  points.back().commit = "another";
  points.back().instance = "GPU-2";
  EXPECT_THAT(noise_text(only_report(points), kPlain),
              AllOf(HasSubstr("note: the occasions are of 2 commits"),
                    HasSubstr("note: they are of 2 GPUs")));
}

TEST(NoiseReport, ARunGivesItsTimesAndWithTracesTheRest) {
  RunResult result;
  result.identity.commit = "c0ffee";
  result.measurement.fingerprint.instance = {{"gpu_uuid", "GPU-1"}};
  result.measurement.fingerprint.environment = {{"gpu", "H200"}};
  for (const MetricKind kind : {MetricKind::timed, MetricKind::traced, MetricKind::counted}) {
    MetricValue metric;
    metric.id = std::string(to_string(kind));
    metric.kind = kind;
    metric.unit = "ms";
    metric.value = 2.0;
    metric.samples = {1.0, 2.0, 3.0};
    result.metrics.push_back(metric);
  }
  result.metrics.push_back(result.metrics.front());
  result.metrics.back().id = "broken";
  result.metrics.back().value = std::nan("");
  const auto timed = noise_points_of(result, "digest", "t", 3, Points::timed);
  ASSERT_EQ(timed.size(), 1U);
  EXPECT_EQ(timed.front().key.metric, "timed");
  EXPECT_EQ(timed.front().key.environment_key,
            baselines::environment_key(result.measurement.fingerprint));
  EXPECT_EQ(timed.front().instance, "GPU-1");
  EXPECT_EQ(timed.front().run, 3);
  EXPECT_EQ(timed.front().samples.size(), 3U);
  EXPECT_EQ(noise_points_of(result, "digest", "t", 3, Points::all).size(), 3U);
}

}  // namespace
}  // namespace perfgate::cli
