/// Which devices of a traced process count in a mean per step. Pure.
#pragma once

#include <algorithm>

#include "runner/model/analysis.h"

namespace perfgate::analysis {

/// Those with whole steps: a device without is left out of every mean over devices.
[[nodiscard]] inline double devices_with_steps(const TracedProcess& process) {
  return static_cast<double>(std::ranges::count_if(
      process.devices, [](const DeviceWindow& device) { return device.steps > 0; }));
}

}  // namespace perfgate::analysis
