/// Was a process disturbed? Judged from the samples before and after it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runner/model/timing.h"

namespace perfgate::device {

/// NVML's clocks event reasons that mean the hardware slowed itself: HW slowdown 0x8, software
/// thermal 0x20, hardware thermal 0x40, power brake 0x80. The power cap (0x4) is normal under load
/// and not among them.
inline constexpr std::uint64_t kSlowdownReasons = 0x8U | 0x20U | 0x40U | 0x80U;

/// The reasons in words, "power cap, thermal slowdown (hardware)"; "none" for 0.
[[nodiscard]] std::string describe_throttle_reasons(std::uint64_t reasons);

/// Why the process's times cannot be trusted: thermal slowdown during it, or other programs on the
/// GPU before or after. Empty: nothing known against it (also where NVML could not say).
[[nodiscard]] std::optional<std::string> disturbance(const std::optional<DeviceSample>& before,
                                                     const std::optional<DeviceSample>& after);

}  // namespace perfgate::device
