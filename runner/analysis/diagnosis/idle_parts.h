/// Which of the idle time belongs to a cause. Pure.
///
/// The gaps of a ledger are whole gaps, listed under the cause of their largest piece; the rows are
/// exact. So gaps say where idle time is, and a part never takes more of a row than is left of it.
#pragma once

#include <functional>
#include <limits>
#include <string>

#include "runner/analysis/diagnosis/unclaimed.h"

namespace perfgate::analysis {

/// What is left of the change of one cause; 0 where the ledger has no such row.
[[nodiscard]] double idle_left(const Unclaimed& unclaimed, const Part& part, IdleCause cause);
/// Adds what is left of the rise of a cause, `most_ms` at most.
void add_idle(const Unclaimed& unclaimed, Part& part, IdleCause cause,
              double most_ms = std::numeric_limits<double>::infinity());
/// Adds the rise of the gaps on whose either side an operation of such a name stands, less the gaps
/// of the base that it cut in two; not those that a cause has already.
void add_gaps_at(const Unclaimed& unclaimed, Part& part,
                 const std::function<bool(const std::string&)>& is_name);
/// Adds the changes of what stands between launches: launch_overhead, device_wait, graph_internal,
/// and `host` but for its long gaps. A fall of one is set against the rise of another.
void add_launching_idle(const Unclaimed& unclaimed, Part& part);

/// Adds by how much kernels of the same work take longer, in families where that is beyond the
/// noise, `most_ms` at most in all. Returns what was added.
double add_slower_kernels(const Unclaimed& unclaimed, Part& part, double most_ms);
/// Sets against a part of other kernels by how much the same ones of other families take less, in
/// families where that is beyond the noise, at most all of the part: what ran beside the kernels
/// that are gone was charged with their time, and is no more. Returns what was set against it.
double add_ended_overlap(const Unclaimed& unclaimed, Part& part);
/// The same as add_slower_kernels() for what comes between kernels `breaks` times a step and takes
/// their overlap away, 5 us a time at most; nothing beside a lost graph, which does so everywhere.
/// Ask matters() before: this is a consequence, no evidence.
double add_lost_overlap(const Unclaimed& unclaimed, Part& part, double breaks);

/// Gaps of cause `host` that come a few times a step and grew by 20 us each or more: work of the
/// host, not the pace of its launches.
[[nodiscard]] double long_host_gaps_ms(const Unclaimed& unclaimed);
/// The host made no call for 50 us and more for each of so many new waits: it works there, and does
/// not just go on to the next launch. Out of the exact row: under tracing the launch after a wait
/// can be the largest piece of such a gap.
[[nodiscard]] bool is_host_work(const Unclaimed& unclaimed, double waits);
/// The gap of a cause that grew most; null = none is listed.
[[nodiscard]] const GapChange* largest_gap(const Unclaimed& unclaimed, IdleCause cause);

}  // namespace perfgate::analysis
