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

std::uint32_t strangers(const std::optional<DeviceSample>& sample) {
  return sample ? sample->other_processes.value_or(0) : 0;
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

std::optional<std::string> disturbance(const std::optional<DeviceSample>& before,
                                       const std::optional<DeviceSample>& after) {
  if (const std::uint32_t count = std::max(strangers(before), strangers(after)); count > 0) {
    return std::to_string(count) + (count == 1 ? " other program was" : " other programs were") +
           " on the GPU";
  }
  if (!before || !after) return std::nullopt;
  const std::uint64_t reasons = after->throttle_reasons.value_or(0) & kSlowdownReasons;
  if (reasons != 0) return "the GPU was throttled: " + describe_throttle_reasons(reasons);
  if (before->thermal_slowdown_us && after->thermal_slowdown_us &&
      *after->thermal_slowdown_us > *before->thermal_slowdown_us) {
    const std::uint64_t us = *after->thermal_slowdown_us - *before->thermal_slowdown_us;
    return "the GPU ran " + std::to_string(us / 1000) + " ms in thermal slowdown";
  }
  return std::nullopt;
}

}  // namespace perfgate::device
