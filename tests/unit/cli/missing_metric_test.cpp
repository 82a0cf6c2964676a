#include "runner/cli/run/missing_metric.h"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perfgate::cli {
namespace {

RunResult result_with(const std::vector<std::string>& metrics) {
  RunResult result;
  for (const std::string& id : metrics) {
    MetricValue metric;
    metric.id = id;
    result.metrics.push_back(std::move(metric));
  }
  Comparison row;
  row.metric = "reported/ttft";
  row.outcome = Outcome::invalid;
  row.reason = "it is not there";
  result.comparisons.push_back(row);
  result.verdict.reasons = {{.code = "x", .text = "another"}, {.code = "y", .text = row.reason}};
  name_reported(result);
  EXPECT_EQ(result.verdict.reasons[0].text, "another");
  EXPECT_EQ(result.verdict.reasons[1].text, result.comparisons[0].reason);
  return result;
}

std::string said(const std::vector<std::string>& metrics) {
  return result_with(metrics).comparisons.front().reason;
}

TEST(MissingMetric, WhatTheProgramReportedIsNamedWithTheNearest) {
  EXPECT_EQ(said({"step_time_p50", "reported/ttfs", "reported/allocs"}),
            "it is not there; the program reported reported/ttfs, reported/allocs; did you mean "
            "reported/ttfs?");
  EXPECT_EQ(said({"reported/allocs"}), "it is not there; the program reported reported/allocs");
  EXPECT_EQ(said({"step_time_p50"}), "it is not there; the program reported no metric of its own");
  EXPECT_THAT(said(std::vector<std::string>(11, "reported/x")), ::testing::HasSubstr("and 3 more"));
}

TEST(MissingMetric, OneThatWasReportedKeepsItsReason) {
  EXPECT_EQ(said({"reported/ttft"}), "it is not there");
}

}  // namespace
}  // namespace perfgate::cli
