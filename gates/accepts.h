/// Accepted regressions: what a line of perfgate-accepts.yaml does to a row that was judged. Pure.
///
/// A row that failed or is suspected passes if its value is not worse than the ceiling of a line
/// that holds today; its reason and a reason of the verdict (code "accepted") say so, and the joint
/// verdict is formed again. No other outcome becomes a pass. Where a row failed by a limit of its
/// own (`max`, `min`), what its comparison came to comes forth: no_baseline, not_comparable,
/// inconclusive. An invalid capture stays invalid.
///
/// What became of each line: `used`; `exceeded`: the row fails still, since its value is worse than
/// the ceiling, or the ceiling is in another unit (the row's reason says which); `expired`: it was
/// not looked at; `unused`: the row passes by itself, or no gate asks for the metric. A line whose
/// row could not be decided is not returned: nobody knows whether it is needed. Lines on the work
/// (work.h) were applied before and are not returned.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gates/judge.h"
#include "runner/model/accept.h"

namespace perfgate::gates {

/// `accepts` are the lines on this workload, `today_utc` as "2026-11-30".
[[nodiscard]] std::vector<AcceptUse> apply_accepts(GateOutput& output,
                                                   std::span<const Accept> accepts,
                                                   std::string_view today_utc);

/// False where `value` is worse than the ceiling, or no number.
[[nodiscard]] bool keeps_ceiling(const Accept& accept, Better better, double value);
/// A unit of "1" and none are the same.
[[nodiscard]] bool same_unit(std::string_view a, std::string_view b);

/// True for a row that is worse than its baseline by more than the margin: accepting it accepts a
/// new level. False where a limit alone was breached, which every run does from then on.
[[nodiscard]] bool is_new_level(const Comparison& row);

}  // namespace perfgate::gates
