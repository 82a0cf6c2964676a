// What the ungated metrics did: every part of the step, with its noise, and nothing that cannot be
// compared.
#include "gates/observe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/gates/case_builder.h"

namespace perfgate::gates {
namespace {

using ::testing::IsEmpty;

const std::string kStep = "step_time_p50";
constexpr MetricKind kTraced = MetricKind::traced;

/// Step time is gated; the families and causes are not.
Report decode() {
  Report report;
  report.add(gate_of(kStep), metric_of(kStep, {4.27}), series_of(kStep, quiet_runs()));
  const auto part = [&](const std::string& id, double head, double level) {
    report.metrics.push_back(metric_of(id, {head, head}, kTraced));
    report.baseline.push_back(series_of(id, quiet_runs(level, 0.01), kTraced));
  };
  part("family_ms/gemm", 4.0, 4.0);
  part("idle_ms/device_wait", 0.115, 0.018);
  return report;
}

const Observation* find(const std::vector<Observation>& rows, const std::string& id) {
  const auto found = std::ranges::find(rows, id, &Observation::metric);
  return found == rows.end() ? nullptr : &*found;
}

TEST(Observe, HoldsTheUngatedMetricsWithTheirNoise) {
  const auto rows = observe(decode().input());
  EXPECT_EQ(rows.size(), 2U) << "the gated one is compared";
  const Observation* idle = find(rows, "idle_ms/device_wait");
  ASSERT_NE(idle, nullptr);
  EXPECT_NEAR(idle->base, 0.018, 1e-5);
  EXPECT_EQ(idle->n_base, 10);
  ASSERT_TRUE(idle->noise.has_value());
  // t(0.995, 9) = 3.250, s = 1 %, sqrt(1.1).
  EXPECT_NEAR(*idle->noise, 3.250 * 0.018 * 0.01 * 1.0488, 1e-5);
  const Observation* gemm = find(rows, "family_ms/gemm");
  EXPECT_LT(std::abs(gemm->head - gemm->base), *gemm->noise);
}

TEST(Observe, ANoisyHeadWidensTheNoise) {
  Report report = decode();
  report.metrics[1].samples = {3.0, 5.0};
  EXPECT_GT(*find(observe(report.input()), "family_ms/gemm")->noise, 3.0);
}

TEST(Observe, APartThatOnlyOneSideHasWasOrIsZero) {
  Report report = decode();
  report.metrics.push_back(metric_of("family_ms/copy", {0.5}, kTraced));
  report.baseline.push_back(series_of("family_ms/memset", quiet_runs(0.2), kTraced));
  report.baseline.push_back(series_of("kernel_us/x", quiet_runs(0.2), kTraced));
  const auto rows = observe(report.input());
  ASSERT_NE(find(rows, "family_ms/copy"), nullptr);
  EXPECT_EQ(find(rows, "family_ms/copy")->base, 0.0);
  ASSERT_NE(find(rows, "family_ms/memset"), nullptr);
  EXPECT_EQ(find(rows, "family_ms/memset")->head, 0.0);
  EXPECT_EQ(find(rows, "kernel_us/x"), nullptr) << "no part of a step";
}

TEST(Observe, OneRunShowsNoNoise) {
  Report report = decode();
  for (BaselineSeries& series : report.baseline) series.points.resize(1);
  EXPECT_FALSE(find(observe(report.input()), "family_ms/gemm")->noise.has_value());
}

TEST(Observe, WhatCannotBeComparedIsNotObserved) {
  Report report = decode();
  report.traced_over_untraced = 1.2;
  EXPECT_THAT(observe(report.input()), IsEmpty());
  report = decode();
  report.capture.validity = Validity::partial;
  EXPECT_THAT(observe(report.input()), IsEmpty());
  report = decode();
  report.choice.exists = false;
  EXPECT_THAT(observe(report.input()), IsEmpty());
  report = decode();
  report.metrics[1].value = std::nan("");
  EXPECT_EQ(find(observe(report.input()), "family_ms/gemm"), nullptr);
}

TEST(Observe, TheVerdictHoldsThem) { EXPECT_EQ(decode().judged().observed.size(), 2U); }

}  // namespace
}  // namespace perfgate::gates
