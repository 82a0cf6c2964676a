/// Base -> head: which parts of the step account for the change of its untraced time. Pure.
///
/// Per family and idle cause: the mean per step over the traced processes of each side (devices of
/// a process averaged), and the 95 % half width of the difference (Welch). Traced and untraced time
/// differ by what tracing costs: the row `tracing` takes (cost of a record x change of the records
/// a step) out again, with the cost estimated from both sides' traced and untraced steps; what
/// then remains is `unattributed`.
///
/// Kernels (WorkSite) are matched by place, name and launch; what is left over is matched by place,
/// name and order, and what is gone and added between the same neighbours of one place is
/// `replaced`.
#pragma once

#include <span>
#include <vector>

#include "runner/model/analysis.h"
#include "runner/model/comparison.h"
#include "runner/model/ledger.h"
#include "runner/model/timing.h"

namespace perfgate::analysis {

/// One side's measurement. The analysis outlives the call.
struct LedgerInput {
  const Analysis* analysis = nullptr;
  std::vector<double> step_ms;          ///< untraced: the median of each process
  std::vector<DeviceSample> samples{};  ///< taken after the untraced processes; may be empty
};

/// Of two runs, or of the two arms of one session. An unusable capture on a side: rows are absent
/// and `problem` says so.
[[nodiscard]] Ledger make_ledger(const LedgerInput& base, const LedgerInput& head);

/// Against a store, which keeps no kernels: rows out of what was compared and observed
/// (`family_ms/NAME`, `idle_ms/CAUSE`, counts).
[[nodiscard]] Ledger make_ledger(std::span<const Comparison> compared,
                                 std::span<const Observation> observed, const Analysis& head);

}  // namespace perfgate::analysis
