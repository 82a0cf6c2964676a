#include <set>

#include "runner/analysis/family_rules.h"
#include "runner/analysis/metrics/traced.h"

namespace perfgate::analysis::metrics {
namespace {

/// A rolled-up family's wall time, or a detail family's (`gemv`).
std::int64_t family_ns(const DeviceWindow& device, std::string_view family) {
  for (const FamilyTime& time : device.families) {
    if (time.family == family) return time.wall_ns;
  }
  std::int64_t ns = 0;
  for (const FamilyTime& time : device.families) {
    const auto detail = time.detail_wall_ns.find(std::string(family));
    if (detail != time.detail_wall_ns.end()) ns += detail->second;
  }
  return ns;
}

}  // namespace

Samples family_ms(const MetricInput& input, std::string_view family) {
  return ms_per_step(input, [&](const DeviceWindow& device) { return family_ns(device, family); });
}

Samples exposed_communication_ms(const MetricInput& input, std::string_view) {
  return family_ms(input, kCommunication);
}

Samples unclassified_percent(const MetricInput& input, std::string_view) {
  MetricSamples result;
  for (const TracedProcess& process : input.analysis.traced) {
    std::int64_t busy = 0;
    std::int64_t unclassified = 0;
    for (const DeviceWindow& device : process.devices) {
      busy += device.busy_ns;
      unclassified += family_ns(device, kUnclassified);
    }
    if (busy > 0)
      result.samples.push_back(100.0 * static_cast<double>(unclassified) /
                               static_cast<double>(busy));
  }
  if (result.samples.empty()) result.missing = "no traced process has GPU work";
  return result;
}

std::vector<std::string> families_seen(const MetricInput& input) {
  std::set<std::string> names;
  for (const TracedProcess& process : input.analysis.traced) {
    for (const DeviceWindow& device : process.devices) {
      for (const FamilyTime& time : device.families) names.insert(time.family);
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace perfgate::analysis::metrics
