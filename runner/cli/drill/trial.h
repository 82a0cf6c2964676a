/// One trial of a drill: what is planted where, in which order, and what its outcome says of the
/// gate. Pure.
///
/// A run has two trials, one with the same program on both sides and one with a slower head. Both
/// sides always carry the same means: the spin kernel or the NVTX half of the probe, which waits
/// for nothing on the quiet side. So the sides of a slower trial differ by the planted time alone:
/// no kernel more, no library more, and a gate on launches or kernels sees no difference either.
#pragma once

#include <cstdint>
#include <string>

#include "baselines/drills.h"
#include "runner/cli/run/arm.h"
#include "runner/model/result.h"
#include "runner/model/workload_spec.h"

namespace perfgate::cli {

/// "1%", "0.5 %" -> 0.01, 0.005. Error `usage`: no percentage above 0 and up to 100.
[[nodiscard]] Result<double> parse_drill_size(const std::string& text);

/// A spin for built-in workloads, a host delay for commands. Error `usage`: a command without
/// steps.range, where the delay would have no place.
[[nodiscard]] Result<baselines::Planted> means_of(const WorkloadSpec& spec);

/// A side that carries the means and waits `us` microseconds in each step; 0 = the quiet side.
[[nodiscard]] ArmChoice arm_with(baselines::Planted means, double us);

/// Does the slower trial of this run come first? Half of the time, by the seed alone.
[[nodiscard]] bool slower_first(std::int64_t seed, int run);

enum class TrialVerdict : std::uint8_t {
  right,           ///< nothing planted and no FAIL, or what was planted failed
  false_fail,      ///< nothing planted: FAIL
  broken_promise,  ///< no FAIL, though the slowdown is one that the gate said it finds
  missed,          ///< no FAIL, and the gate had not said that it finds so little
  not_judged,      ///< not comparable, no baseline, invalid
};
[[nodiscard]] TrialVerdict verdict_on(const baselines::DrillTrial& trial);

/// 1 for false_fail and broken_promise, 3 for not_judged, else 0. A promise is for 95 of 100
/// trials: one that is broken now and then is within it, and --show says how often it is.
[[nodiscard]] int exit_code(TrialVerdict verdict);

}  // namespace perfgate::cli
