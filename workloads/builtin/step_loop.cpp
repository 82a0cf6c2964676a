#include "workloads/builtin/step_loop.h"

#include <algorithm>
#include <cassert>
#include <ctime>
#include <limits>
#include <vector>

#include "runner/model/median.h"

namespace perfgate::builtin {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

Status busy_host(StepDevice& device, const StepLoop& loop) {
  if (loop.host_delay_us <= 0.0) return {};
  PG_TRY(device.synchronize());
  const std::int64_t until = loop.now_ns() + static_cast<std::int64_t>(loop.host_delay_us * 1e3);
  while (loop.now_ns() < until) {
  }
  return {};
}

Status run_one(StepDevice& device, const StepLoop& loop, int boundary) {
  if (boundary >= kLaunchAheadSteps) PG_TRY(device.wait(boundary - kLaunchAheadSteps));
  PG_TRY(device.mark(boundary));
  PG_TRY(loop.step());
  return busy_host(device, loop);
}

}  // namespace

std::int64_t realtime_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * kNsPerSecond + now.tv_nsec;
}

double median_step_ms(const ProcessResults& results) {
  if (results.steps.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> ms(results.steps.size());
  std::ranges::transform(results.steps, ms.begin(), &StepSample::ms);
  return median(ms);
}

Result<ProcessResults> run_steps(StepDevice& device, const StepLoop& loop) {
  assert(loop.steps >= 1 && loop.warmup >= 0);
  const int last = loop.warmup + loop.steps;
  PG_TRY(device.reserve(last + 1));
  for (int i = 0; i < loop.warmup; ++i) PG_TRY(run_one(device, loop, i));
  PG_TRY(device.synchronize());
  if (loop.before_measured) {
    PG_TRY(loop.before_measured());
    PG_TRY(device.synchronize());
  }
  ProcessResults results;
  results.boundary = ProcessResults::Boundary::device;
  results.block_start_ns = loop.now_ns();
  for (int i = loop.warmup; i < last; ++i) PG_TRY(run_one(device, loop, i));
  PG_TRY(device.mark(last));
  PG_TRY(device.synchronize());
  results.block_end_ns = loop.now_ns();
  results.steps.reserve(static_cast<std::size_t>(loop.steps));
  for (int i = 0; i < loop.steps; ++i) {
    PG_ASSIGN_OR_RETURN(const double ms, device.period_ms(loop.warmup + i));
    results.steps.push_back({.step = i, .ms = ms});
  }
  return results;
}

}  // namespace perfgate::builtin
