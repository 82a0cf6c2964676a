#include "runner/device/throttle.h"

#include <algorithm>
#include <array>
#include <utility>

namespace perfgate::device {
namespace {

constexpr std::array<std::pair<std::uint64_t, const char*>, 9> kReasonWords{{
    {0x1U, "idle"},
    {0x2U, "application clocks"},
    {0x4U, "power cap"},
    {0x8U, "hardware slowdown"},
    {0x10U, "sync boost"},
    {0x20U, "thermal slowdown (software)"},
    {0x40U, "thermal slowdown (hardware)"},
    {0x80U, "power brake"},
    {0x100U, "display clocks"},
}};

using Counter = std::optional<std::uint64_t> DeviceSample::*;

struct CounterWords {
  Counter counter;
  const char* words;
  bool disturbs;
};

/// The thermal policy's counter holds both kinds together: it comes last, where those are missing.
constexpr std::array<CounterWords, 5> kCounters{{
    {&DeviceSample::power_cap_us, "power cap", false},
    {&DeviceSample::hardware_thermal_us, "thermal slowdown (hardware)", true},
    {&DeviceSample::software_thermal_us, "thermal slowdown (software)", true},
    {&DeviceSample::power_brake_us, "power brake", true},
    {&DeviceSample::thermal_slowdown_us, "thermal slowdown", true},
}};

std::uint32_t strangers(const std::optional<DeviceSample>& sample) {
  return sample ? sample->other_processes.value_or(0) : 0;
}

/// Empty where a side does not know, and for a counter that began anew (the driver was reloaded).
std::optional<std::uint64_t> growth_us(const DeviceSample& before, const DeviceSample& after,
                                       Counter counter) {
  const auto& from = before.*counter;
  const auto& to = after.*counter;
  if (!from || !to || *to < *from) return std::nullopt;
  return *to - *from;
}

std::string duration(std::uint64_t us) {
  return us < 1000 ? std::to_string(us) + " us" : std::to_string(us / 1000) + " ms";
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

struct Uncounted {
  std::vector<std::string> words;
  std::uint64_t reasons = 0;  ///< NVML's bits that stand in for the counters
};

/// `counts`: whether that counter tells something.
template <typename Counts>
Uncounted uncounted(const Counts& counts) {
  Uncounted missing;
  const bool both_kinds =
      counts(&DeviceSample::hardware_thermal_us) && counts(&DeviceSample::software_thermal_us);
  if (!counts(&DeviceSample::thermal_slowdown_us) && !both_kinds) {
    missing.words.emplace_back("thermal slowdown");
    missing.reasons |= kThermalReasons;
  }
  if (!counts(&DeviceSample::power_brake_us)) {
    missing.words.emplace_back("power brake");
    missing.reasons |= kPowerBrakeReasons;
  }
  return missing;
}

}  // namespace

std::string describe_throttle_reasons(std::uint64_t reasons) {
  std::string text;
  for (const auto& [bit, word] : kReasonWords) {
    if ((reasons & bit) == 0) continue;
    if (!text.empty()) text += ", ";
    text += word;
    reasons &= ~bit;
  }
  if (reasons != 0) text += text.empty() ? "unknown reason" : ", unknown reason";
  return text.empty() ? "none" : text;
}

std::string describe_throttle_counters(const DeviceSample& sample) {
  std::vector<std::string> parts;
  for (const CounterWords& each : kCounters) {
    const auto& us = sample.*each.counter;
    if (us) parts.push_back(std::string(each.words) + " " + duration(*us));
  }
  return joined(parts, ", ");
}

std::vector<std::string> uncounted_throttling(const DeviceSample& sample) {
  return uncounted([&](Counter counter) { return (sample.*counter).has_value(); }).words;
}

Disturbance disturbance(const std::optional<DeviceSample>& before,
                        const std::optional<DeviceSample>& after) {
  using enum Disturbance::State;
  if (const std::uint32_t count = std::max(strangers(before), strangers(after)); count > 0) {
    return {disturbed, std::to_string(count) +
                           (count == 1 ? " other program was" : " other programs were") +
                           " on the GPU"};
  }
  if (!before || !after) return {unknown, "the GPU could not be asked whether it was throttled"};
  for (const CounterWords& each : kCounters) {
    const std::uint64_t us = growth_us(*before, *after, each.counter).value_or(0);
    if (each.disturbs && us > 0) {
      return {disturbed, "the GPU was throttled for " + duration(us) + ": " + each.words};
    }
  }
  const Uncounted missing =
      uncounted([&](Counter counter) { return growth_us(*before, *after, counter).has_value(); });
  if (missing.words.empty()) return {};
  const std::uint64_t reasons = after->throttle_reasons.value_or(0) & missing.reasons;
  if (reasons != 0) {
    return {disturbed, "the GPU was throttled: " + describe_throttle_reasons(reasons)};
  }
  return {unknown, "this driver does not count " + joined(missing.words, " and ") +
                       ": throttling by it would not be seen"};
}

std::optional<std::uint64_t> power_cap_growth_us(const std::optional<DeviceSample>& before,
                                                 const std::optional<DeviceSample>& after) {
  if (!before || !after) return std::nullopt;
  return growth_us(*before, *after, &DeviceSample::power_cap_us);
}

}  // namespace perfgate::device
