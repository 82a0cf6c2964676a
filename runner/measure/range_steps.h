/// Steps out of NVTX ranges: a step lasts from its range's start to the next one's. Pure.
///
/// A range's own length is no step time: it covers launches, not the GPU work that they start.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/capture.h"
#include "runner/model/result.h"
#include "runner/model/timing.h"
#include "runner/model/workload_spec.h"

namespace perfgate::measure {

/// Starts of the matching ranges of the thread that has most of them, rising. A match inside
/// another one is no step, as for the probe (runner/probe/window.h). Domain as in StepsSpec.
[[nodiscard]] std::vector<std::int64_t> range_starts(const Capture& capture,
                                                     const StepsSpec& steps);

/// The periods after `skip` matching ranges, at most `count` of them, of the capture with most
/// matches. Boundary is host. Error `invalid_measurement` if fewer than `wanted` periods are there:
/// it names the ranges that were seen.
[[nodiscard]] Result<ProcessResults> steps_from_ranges(std::span<const Capture> captures,
                                                       const StepsSpec& steps, int skip, int count,
                                                       int wanted);

/// "decode (x220), prefill (x1)": names of the ranges in the captures and of the probe's "range
/// seen" lines, the most frequent first, at most ten. "none" if there are none.
[[nodiscard]] std::string ranges_seen(std::span<const Capture> captures);

}  // namespace perfgate::measure
