/// Charges each busy instant of a device's window to exactly one operation, and lists the idle
/// intervals.
///
/// Where several operations run at once: compute before communication before copies, then the
/// earlier start, the lower correlation id, the lower node id. Hence the sum over families + the
/// sum over gaps == window, exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "runner/analysis/timeline.h"
#include "runner/analysis/window.h"

namespace perfgate::analysis {

/// A maximal idle interval. `before` and `after` index DeviceTimeline::operations; kNone = the
/// window's border.
struct Gap {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t before = kNone;
  std::uint32_t after = kNone;
};

struct DetailTime {
  std::int64_t wall_ns = 0;  ///< charged
  std::int64_t sum_ns = 0;   ///< durations, cut to the window
  std::int64_t count = 0;    ///< operations that start in the window
};

struct SweepResult {
  std::int64_t busy_ns = 0;
  std::int64_t operations = 0;             ///< that start in the window
  std::vector<DetailTime> details;         ///< parallel to Timeline::details
  std::vector<std::int64_t> step_busy_ns;  ///< one per period
  std::vector<std::int64_t> charged_ns;    ///< parallel to DeviceTimeline::operations
  std::vector<Gap> gaps;                   ///< by start
};

[[nodiscard]] SweepResult sweep(const Timeline& timeline, const DeviceTimeline& device,
                                const Window& window);

/// Operations that start before the one before them on their stream has ended, among those that
/// start in the window.
struct StreamOrder {
  std::int64_t overlaps = 0;  ///< programmatic dependent launch makes small ones: counted, accepted
  std::int64_t covered =
      0;  ///< lie wholly inside an earlier one of their stream: a recorder's fault
  std::int64_t raw_sum_ns = 0;      ///< of durations
  std::int64_t clipped_sum_ns = 0;  ///< each operation cut at the next start on its stream
};

/// Nodes of one graph launch may run side by side under one stream id: they are never `covered`.
[[nodiscard]] StreamOrder stream_order(const Timeline& timeline, const DeviceTimeline& device,
                                       const Window& window);

}  // namespace perfgate::analysis
