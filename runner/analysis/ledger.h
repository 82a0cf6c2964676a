/// Base -> head: which parts of the step account for the change of its untraced time. Pure.
///
/// Per family and idle cause: the mean per step over the traced processes of each side (devices of
/// a process averaged), and the 95 % half width of the difference (Welch). Traced and untraced time
/// differ by what tracing costs, and two rows take it out again; what then remains is
/// `unattributed`.
///
/// `tracing`: cost of a record x change of the records a step, with the cost estimated from both
/// sides' traced and untraced steps, less the row below.
///
/// `tracing, graph launch`: the change of the time that the GPU waits inside calls that launch a
/// graph. While every node is traced, such a call does work for each of them: 0.24 to 0.35 ms for
/// 228 nodes on the H200s of tests/data/faults, where the untraced steps leave some us for it. It
/// costs nothing while the host runs ahead, and all of it where the host waited before it. The
/// source is the calls in the captures, not the steps, so that the row does not explain the rest by
/// definition; it has no coefficient, but that it is these calls was seen in the same runs. Limits:
/// all of the call is taken for tracing, so what it takes untraced stands in `unattributed`; and no
/// more is taken than tracing added to the steps of that process. There the rest of the five faults
/// after which a graph waits, and of one beside another fault, fell from 0.23 to 0.35 ms to 2 to
/// 16 us; without that bound it is 2 to 20 us.
///
/// Tried, and not a row, so that ledgers of eager programs may end as not established:
/// - a cost per call while the GPU waits. Tracing adds 2.6 us a call more to eager_sync than to its
///   base, 2.5 to two_graphs_sync. But a launch call of a kernel costs as much untraced, a capture
///   does not tell the two apart, the calls of eager_base never meet an idle GPU, and a figure out
///   of those two would be judged by itself. It would take a measurement of its own on the machine
///   (a host-bound eager program, traced and untraced).
/// - a cost per node of a graph that meets an idle GPU: 0.09 to 1.54 us, since a graph starts
///   before the call has returned.
/// - one cost per record for all programs: 0.04 us in eager_base, 0.93 us for each of the 480
///   short kernels that eager_split_launch adds, 0.002 us for the same kernels in a graph.
/// - an allocation costs more while traced, too unsteadily for a figure (1 GiB: 1.1 +- 2.4 ms; that
///   ledger is established by its noise alone).
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
/// (`family_ms/NAME`, `idle_ms/CAUSE`, counts). Their intervals, of 99 % and of what the looks ask
/// for, are brought to the 95 % of all ledgers, as t with one degree less than there are runs.
[[nodiscard]] Ledger make_ledger(std::span<const Comparison> compared,
                                 std::span<const Observation> observed, const Analysis& head);

}  // namespace perfgate::analysis
