#include <array>
#include <utility>

#include "runner/analysis/metrics/traced.h"

namespace perfgate::analysis::metrics {

Samples gpu_busy_ms(const MetricInput& input, std::string_view) {
  return ms_per_step(input, [](const DeviceWindow& device) { return device.busy_ns; });
}

Samples gpu_idle_ms(const MetricInput& input, std::string_view) {
  return ms_per_step(input,
                     [](const DeviceWindow& device) { return device.window_ns - device.busy_ns; });
}

Samples idle_ms(const MetricInput& input, std::string_view cause) {
  PG_ASSIGN_OR_RETURN(const IdleCause wanted, idle_cause_from_string(cause));
  return ms_per_step(input, [&](const DeviceWindow& device) {
    for (const IdleTime& idle : device.idle) {
      if (idle.cause == wanted) return idle.total_ns;
    }
    return std::int64_t{0};
  });
}

std::vector<std::string> idle_causes_seen(const MetricInput& input) {
  std::array<bool, kIdleCauseCount> seen{};
  for (const TracedProcess& process : input.analysis.traced) {
    for (const DeviceWindow& device : process.devices) {
      for (const IdleTime& idle : device.idle) seen[static_cast<std::size_t>(idle.cause)] = true;
    }
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kIdleCauseCount; ++i) {
    if (seen[i]) names.emplace_back(to_string(static_cast<IdleCause>(i)));
  }
  return names;
}

}  // namespace perfgate::analysis::metrics
