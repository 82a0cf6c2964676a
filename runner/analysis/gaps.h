/// Why a device was idle: each gap is cut at the calls of the thread that launched what comes next,
/// and each piece has one cause, so the sum over causes == the sum over gaps.
///
/// Let the next operation's launch call be L, on thread T:
/// - both sides in one graph launch: graph_internal
/// - L unknown: unknown
/// - L had returned before the gap: device_wait (other_process if another process ran before it)
/// - else, at each instant of the gap, what T was doing: inside a call, that call's class
///   (synchronise: synchronisation; copy: transfer; allocation: allocation; module load: jit;
///   launch, memset or graph build: launch_overhead); no call open: host
/// - after L returned, until the start: launch_overhead (transfer if L is a copy)
///
/// CUPTI overhead records of T (or of no thread) take their time out of all but the first three:
/// `tracing`; compiler and lazy-loading records are `jit`. The innermost call counts: a module load
/// inside a launch is jit.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "runner/analysis/sweep.h"
#include "runner/analysis/timeline.h"
#include "runner/model/analysis.h"

namespace perfgate::analysis {

struct GapReport {
  std::vector<IdleTime> idle;        ///< every cause with time, in enum order
  std::int64_t graph_launch_ns = 0;  ///< of launch_overhead, inside calls that launch a graph
  std::vector<GapSite> sites;        ///< by falling total
};
/// That a result keeps; a comparison needs all: what is rank 20 here can be rank 21 there.
inline constexpr std::size_t kGapSites = 20;

[[nodiscard]] GapReport explain_gaps(const Timeline& timeline, const DeviceTimeline& device,
                                     std::span<const Gap> gaps);

}  // namespace perfgate::analysis
