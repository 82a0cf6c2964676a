/// The host delay that `perfgate drill` plants into a program of the user's: a busy wait at the
/// start of each step, inside its NVTX range.
///
/// Environment: PERFGATE_DELAY_US (unset: nothing of this; 0: the ranges are matched and nothing is
/// waited for, as the quiet side of a drill does it) and PERFGATE_DELAY_RANGE, the glob of the
/// range that is one step. It works in every mode of the probe; a window `nvtx:GLOB` keeps its own
/// GLOB. Not after the capture was closed: steps behind a trace window are not slowed.
///
/// Why here, weighed against other places:
/// - SIGSTOP and SIGCONT from outside need nothing in the process, but a signal comes when the
///   scheduler likes (tens of microseconds), while 1 % of a step of 4 ms is 40; pauses that do not
///   fall into each step alike do not move the median step; and the GPU works on behind them.
/// - The first CUDA call of the step would lie inside every clock, but only CUPTI sees it, and
///   CUPTI is not let into processes that are timed.
/// - The end of the range hides the delay where the program closes its range when all is launched
///   and waits for the GPU after that: the host would be busy while the GPU is. At the start
///   nothing of the step is launched, and a program that waits for the GPU in each step has nothing
///   queued.
///
/// A program whose clock starts after the range is opened and stops before it is closed does not
/// see the delay at either end, nor do the marks of one that queues steps ahead: `perfgate drill`
/// looks for that before it counts anything.
#pragma once

#include <cstdint>
#include <string>

#include "runner/probe/window.h"

namespace perfgate::probe {

struct StepDelay {
  std::int64_t ns = 0;  ///< of each step
  std::string range;    ///< empty: no delay was asked for
  std::string problem;  ///< PERFGATE_DELAY_US was not understood
};

/// From the two variables; null for one that is not set.
[[nodiscard]] StepDelay parse_step_delay(const char* microseconds, const char* range);

/// The window's request, with the delay's glob where it has none of its own.
[[nodiscard]] WindowRequest with_steps_of(WindowRequest request, const StepDelay& delay);

/// Returns after `ns` on CLOCK_MONOTONIC; never gives the processor away. Nothing for 0.
void wait_busily(std::int64_t ns);

}  // namespace perfgate::probe
