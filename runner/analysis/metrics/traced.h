/// What the traced metrics share: a per-step value of each device, averaged over the devices of a
/// process.
#pragma once

#include "runner/analysis/metrics/metrics.h"

namespace perfgate::analysis::metrics {

/// `nanoseconds(device)` over the window -> ms per step. Processes without whole steps give no
/// sample.
template <typename Nanoseconds>
[[nodiscard]] MetricSamples ms_per_step(const MetricInput& input, Nanoseconds nanoseconds) {
  MetricSamples result;
  for (const TracedProcess& process : input.analysis.traced) {
    double sum = 0.0;
    int devices = 0;
    for (const DeviceWindow& device : process.devices) {
      if (device.steps <= 0) continue;
      sum += static_cast<double>(nanoseconds(device)) / 1e6 / static_cast<double>(device.steps);
      ++devices;
    }
    if (devices > 0) result.samples.push_back(sum / devices);
  }
  if (result.samples.empty()) result.missing = "no traced process has a window of whole steps";
  return result;
}

}  // namespace perfgate::analysis::metrics
