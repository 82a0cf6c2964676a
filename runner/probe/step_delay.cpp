#include "runner/probe/step_delay.h"

#include <charconv>
#include <cmath>
#include <string_view>

#include <time.h>

namespace perfgate::probe {
namespace {

constexpr double kLongestUs = 60e6;

std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

StepDelay parse_step_delay(const char* microseconds, const char* range) {
  StepDelay delay;
  if (microseconds == nullptr || range == nullptr) return delay;
  const std::string_view text(microseconds);
  double us = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), us);
  if (error != std::errc{} || end != text.data() + text.size() ||
      !(us >= 0.0 && us <= kLongestUs)) {
    delay.problem =
        "PERFGATE_DELAY_US \"" + std::string(text) + "\" is not a time of up to a minute";
    return delay;
  }
  delay.ns = std::llround(us * 1e3);
  delay.range = range;
  return delay;
}

WindowRequest with_steps_of(WindowRequest request, const StepDelay& delay) {
  if (request.trigger != WindowTrigger::nvtx) request.glob = delay.range;
  return request;
}

void wait_busily(std::int64_t ns) {
  if (ns <= 0) return;
  const std::int64_t until = monotonic_ns() + ns;
  while (monotonic_ns() < until) {
  }
}

}  // namespace perfgate::probe
