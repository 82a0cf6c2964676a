/// Was a process disturbed? Judged from the samples before and after it. Pure.
///
/// Both samples see an idle GPU, so what its clocks are held back by at that moment says little;
/// NVML's counters say what happened in between. A thermal or power-brake counter that grew is a
/// disturbance. The power cap is normal under load: it is told, and nothing is repeated for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/model/timing.h"

namespace perfgate::device {

/// NVML's clocks event reasons that mean the hardware slowed itself: software thermal 0x20,
/// hardware thermal 0x40; power brake 0x80, and HW slowdown 0x8, which stands for either. The power
/// cap (0x4) is normal under load and not among them.
inline constexpr std::uint64_t kThermalReasons = 0x20U | 0x40U;
inline constexpr std::uint64_t kPowerBrakeReasons = 0x8U | 0x80U;

/// The reasons in words, "power cap, thermal slowdown (hardware)"; "none" for 0.
[[nodiscard]] std::string describe_throttle_reasons(std::uint64_t reasons);

/// The counters in words, "power cap 23844 ms, thermal slowdown 0 ms"; empty if there are none.
[[nodiscard]] std::string describe_throttle_counters(const DeviceSample& sample);

/// What NVML does not count here: "thermal slowdown", "power brake". Empty: throttling cannot be
/// missed.
[[nodiscard]] std::vector<std::string> uncounted_throttling(const DeviceSample& sample);

struct Disturbance {
  enum class State : std::uint8_t {
    none,
    disturbed,  ///< throttled, or other programs on the GPU before or after
    unknown,    ///< nothing is known against it, and throttling could have been missed
  };
  State state = State::none;
  std::string why;  ///< for a person; empty for none
};

/// Where a counter is missing, its momentary reasons after the process count instead: set, they
/// prove a disturbance; not set, they prove nothing. A counter that fell (the driver was reloaded)
/// tells nothing either.
[[nodiscard]] Disturbance disturbance(const std::optional<DeviceSample>& before,
                                      const std::optional<DeviceSample>& after);

/// How long the power cap held the clocks back in between. Empty: not known.
[[nodiscard]] std::optional<std::uint64_t> power_cap_growth_us(
    const std::optional<DeviceSample>& before, const std::optional<DeviceSample>& after);

}  // namespace perfgate::device
