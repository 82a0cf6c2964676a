/// The lines of device.jsonl: the GPU before and after a process. What NVML did not say is left
/// out, not zero. Pure.
#pragma once

#include <string>
#include <string_view>

#include "runner/model/result.h"
#include "runner/model/timing.h"

namespace perfgate::measure {

/// Empty if neither sample is there.
[[nodiscard]] std::string device_lines(const ProcessRecord& record);
/// Fills `before` and `after`. Error `corrupt`.
[[nodiscard]] Status parse_device_lines(std::string_view lines, ProcessRecord& record);

}  // namespace perfgate::measure
