/// The measured loop: warm-up, then steps with one mark per boundary on the GPU's clock, never
/// waiting for the step just launched.
///
/// The device is a parameter (CUDA runtime, bare driver, or a fake in tests). The host may run
/// ahead of the GPU by kLaunchAheadSteps: enough to hide launches, few enough to keep the queue
/// short.
#pragma once

#include <cstdint>
#include <functional>

#include "runner/model/result.h"
#include "runner/model/timing.h"

namespace perfgate::builtin {

inline constexpr int kLaunchAheadSteps = 8;

/// Marks on one stream. Boundary i stands before step i; the last one stands after the last step.
class StepDevice {
 public:
  StepDevice() = default;
  StepDevice(const StepDevice&) = delete;
  StepDevice& operator=(const StepDevice&) = delete;
  virtual ~StepDevice() = default;

  [[nodiscard]] virtual Status reserve(int boundaries) = 0;
  [[nodiscard]] virtual Status mark(int boundary) = 0;
  /// Blocks until the GPU has passed the mark.
  [[nodiscard]] virtual Status wait(int boundary) = 0;
  /// From boundary i to i + 1; both passed.
  [[nodiscard]] virtual Result<double> period_ms(int boundary) = 0;
  [[nodiscard]] virtual Status synchronize() = 0;
};

struct StepLoop {
  int warmup = 20;
  int steps = 200;                          ///< at least 1
  std::function<Status()> step;             ///< launches one step
  std::function<Status()> before_measured;  ///< after the warm-up, with an idle GPU; may be empty
  double host_delay_us = 0.0;               ///< fault: wait for the step, then busy this long
  std::function<std::int64_t()> now_ns;     ///< CLOCK_REALTIME
};

/// Block, steps and boundary of the results; work and metrics are the caller's.
[[nodiscard]] Result<ProcessResults> run_steps(StepDevice& device, const StepLoop& loop);

/// Median of the step times, the mean of the middle two if their number is even; NaN without steps.
[[nodiscard]] double median_step_ms(const ProcessResults& results);

/// CLOCK_REALTIME in nanoseconds.
[[nodiscard]] std::int64_t realtime_ns();

}  // namespace perfgate::builtin
