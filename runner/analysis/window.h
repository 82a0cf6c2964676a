/// The stretch of device time that is accounted for.
///
/// N + 2 steps are traced; the window runs from the first GPU operation of step 2 to the first of
/// step N + 2, so it holds N whole periods: the first step may be cut by the window's opening, the
/// last by its closing. Without steps: from the first operation's start to the last end, and no
/// per-step values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runner/analysis/steps.h"
#include "runner/analysis/timeline.h"

namespace perfgate::analysis {

struct Window {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::vector<std::int64_t> boundaries_ns;  ///< periods + 1 values, or empty: no steps
  std::uint16_t process = 0;                ///< whose steps they are
  std::int32_t workless_step = -1;          ///< a step without work on this device; -1 = none
  bool steps_interleave = false;  ///< a later step's first operation ran before an earlier step's

  [[nodiscard]] std::int64_t periods() const {
    return boundaries_ns.empty() ? 0 : static_cast<std::int64_t>(boundaries_ns.size()) - 1;
  }
  [[nodiscard]] std::int64_t length_ns() const { return end_ns - start_ns; }
};

[[nodiscard]] Window find_window(const DeviceTimeline& device, std::span<const ProcessSteps> steps);

}  // namespace perfgate::analysis
