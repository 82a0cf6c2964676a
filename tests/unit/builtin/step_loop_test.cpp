// The measured loop over a fake GPU: what is launched, marked and waited for, in which order.
#include "workloads/builtin/step_loop.h"

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perfgate::builtin {
namespace {

class FakeDevice final : public StepDevice {
 public:
  Status reserve(int boundaries) override {
    reserved = boundaries;
    return {};
  }
  Status mark(int boundary) override {
    marks.push_back(boundary);
    calls.push_back("mark");
    return {};
  }
  Status wait(int boundary) override {
    ahead_max = std::max(ahead_max, static_cast<int>(marks.size()) - boundary);
    passed = boundary;
    return {};
  }
  Result<double> period_ms(int boundary) override { return 1.0 + boundary; }
  Status synchronize() override {
    calls.push_back("sync");
    return {};
  }

  int reserved = 0;
  int ahead_max = 0;
  int passed = -1;
  std::vector<int> marks;
  std::vector<std::string> calls;
};

StepLoop loop_of(FakeDevice& device, int warmup, int steps, std::int64_t& clock) {
  return {.warmup = warmup,
          .steps = steps,
          .step = [&device]() -> Status {
            device.calls.push_back("step");
            return {};
          },
          .before_measured = {},
          .host_delay_us = 0.0,
          .now_ns = [&clock] { return clock += 100; }};
}

TEST(StepLoop, MeasuresPeriodsBetweenBoundariesAfterTheWarmUp) {
  FakeDevice device;
  std::int64_t clock = 0;
  const auto results = run_steps(device, loop_of(device, 3, 2, clock));
  ASSERT_TRUE(results.ok());
  EXPECT_EQ(device.reserved, 6);
  EXPECT_THAT(device.marks, testing::ElementsAre(0, 1, 2, 3, 4, 5));
  ASSERT_EQ(results.value().steps.size(), 2U);
  EXPECT_EQ(results.value().steps[0].step, 0);
  EXPECT_EQ(results.value().steps[0].ms, 4.0) << "the period that starts at boundary 3";
  EXPECT_EQ(results.value().boundary, ProcessResults::Boundary::device);
  EXPECT_LT(results.value().block_start_ns, results.value().block_end_ns);
}

TEST(StepLoop, SynchronisesBeforeAndAfterTheBlockAndNowhereElse) {
  FakeDevice device;
  std::int64_t clock = 0;
  ASSERT_TRUE(run_steps(device, loop_of(device, 1, 2, clock)).ok());
  EXPECT_THAT(device.calls, testing::ElementsAre("mark", "step", "sync", "mark", "step", "mark",
                                                 "step", "mark", "sync"));
}

TEST(StepLoop, NeverRunsFurtherAheadThanItsLimit) {
  FakeDevice device;
  std::int64_t clock = 0;
  ASSERT_TRUE(run_steps(device, loop_of(device, 5, 40, clock)).ok());
  EXPECT_EQ(device.ahead_max, kLaunchAheadSteps);
  EXPECT_EQ(device.passed, 44 - kLaunchAheadSteps);
}

TEST(StepLoop, AHostDelayWaitsForEachStepFirst) {
  FakeDevice device;
  std::int64_t clock = 0;
  StepLoop loop = loop_of(device, 0, 2, clock);
  loop.host_delay_us = 1.0;
  ASSERT_TRUE(run_steps(device, loop).ok());
  EXPECT_THAT(device.calls, testing::ElementsAre("sync", "mark", "step", "sync", "mark", "step",
                                                 "sync", "mark", "sync"));
}

TEST(MedianStepMs, OfAnEvenNumberIsTheMeanOfTheMiddleTwo) {
  ProcessResults results;
  for (const double ms : {9.0, 1.0, 3.0, 2.0}) results.steps.push_back({.step = 0, .ms = ms});
  EXPECT_EQ(median_step_ms(results), 2.5);
  EXPECT_TRUE(std::isnan(median_step_ms(ProcessResults{})));
}

TEST(StepLoop, AFailedStepEndsTheRun) {
  FakeDevice device;
  std::int64_t clock = 0;
  StepLoop loop = loop_of(device, 0, 5, clock);
  loop.step = [] { return Status(Error{ErrorCode::internal, "launch refused", "", ""}); };
  const auto results = run_steps(device, loop);
  ASSERT_FALSE(results.ok());
  EXPECT_EQ(results.error().message, "launch refused");
  EXPECT_EQ(device.marks.size(), 1U);
}

}  // namespace
}  // namespace perfgate::builtin
