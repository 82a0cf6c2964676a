// Ceilings are medians of what the calibration runs reported, and survive being written.
#include "runner/device/calibration.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perfgate::device {
namespace {

using ::testing::HasSubstr;

ProcessResults run(const char* name, double value) {
  ProcessResults results;
  results.metrics.push_back({.name = name, .value = value, .unit = "x", .better = Better::higher});
  return results;
}

std::vector<ProcessResults> controls() {
  return {run("read_stream", 4.5e12), run("read_stream", 4.7e12), run("read_stream", 4.6e12),
          run("copy_stream", 4.2e12), run("copy_stream", 4.3e12), run("bf16_gemm", 7.0e14)};
}

TEST(Calibration, IsTheMedianOfEachMetric) {
  const auto formed = form_calibration(controls(), "GPU-1", "580.159.04", "2026-11-29T20:00:00Z");
  ASSERT_TRUE(formed.ok());
  EXPECT_DOUBLE_EQ(formed.value().read_bytes_per_s, 4.6e12);
  EXPECT_DOUBLE_EQ(formed.value().copy_bytes_per_s, 4.25e12);
  EXPECT_DOUBLE_EQ(formed.value().bf16_flop_per_s, 7.0e14);
}

TEST(Calibration, NeedsEachMetricAndIgnoresNonsense) {
  std::vector<ProcessResults> some = controls();
  some.back() = run("bf16_gemm", std::numeric_limits<double>::quiet_NaN());
  const auto formed = form_calibration(some, "GPU-1", "580", "now");
  ASSERT_FALSE(formed.ok());
  EXPECT_THAT(formed.error().message, HasSubstr("bf16_gemm"));
}

TEST(CalibrationFile, ReadsBackExactly) {
  const Calibration original =
      form_calibration(controls(), "GPU-1", "580.159.04", "2026-11-29T20:00:00Z").value();
  const auto read = read_calibration(write_calibration(original));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().gpu_uuid, original.gpu_uuid);
  EXPECT_EQ(read.value().driver, original.driver);
  EXPECT_EQ(read.value().read_bytes_per_s, original.read_bytes_per_s);
  EXPECT_EQ(read.value().copy_bytes_per_s, original.copy_bytes_per_s);
  EXPECT_EQ(read.value().bf16_flop_per_s, original.bf16_flop_per_s);
  EXPECT_EQ(read.value().utc, original.utc);
}

TEST(CalibrationFile, CutAnywhereIsRefused) {
  const std::string text =
      write_calibration(form_calibration(controls(), "GPU-1", "580", "now").value());
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(read_calibration(text.substr(0, length)).ok()) << length;
  }
}

TEST(CalibrationFile, RefusesUnknownDoubledAndBadLines) {
  const std::string text =
      write_calibration(form_calibration(controls(), "GPU-1", "580", "now").value());
  EXPECT_FALSE(read_calibration(text + "extra 1\n").ok());
  EXPECT_FALSE(read_calibration(text + "utc later\n").ok());
  EXPECT_FALSE(read_calibration("perfgate_calibration 2\n").ok());
  std::string negative = text;
  negative.replace(negative.find("read_bytes_per_s ") + 17, 1, "-");
  EXPECT_FALSE(read_calibration(negative).ok());
}

TEST(CalibrationFile, NameIsSafe) {
  EXPECT_EQ(calibration_file_name("GPU-1/../x", "580.1"), "calibration-GPU-1_.._x-580.1.txt");
}

}  // namespace
}  // namespace perfgate::device
