/// What the nightly report says of the runs in a store: passes from gates to reporters. Passive.
///
/// A metric is watched against what was accepted last: a pinned run, or a run at which an accepted
/// change began (its level mark). Where nothing was accepted, or too little is known, the state
/// says which of it, and no figure is put in its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/metric.h"
#include "runner/model/workload_spec.h"

namespace perfgate {

/// A run of the store as a report names it.
struct TrendRun {
  std::int64_t run = 0;  ///< store row; 0 = gone from the store, or not among the runs looked at
  std::string commit{};  ///< empty = unknown
  std::string utc{};     ///< ISO 8601
};

enum class TrendState : std::uint8_t {
  steady,            ///< watched, nothing found
  breach,            ///< the level lies beyond what was accepted by more than the margin
  creeping,          ///< CUSUM is above its threshold
  stepped,           ///< nothing was accepted; a step to the worse beyond the margin stands
  not_accepted,      ///< not watched: neither a pin nor an accepted level
  pinned_elsewhere,  ///< not watched: the pin is of another GPU than the runs
  few_runs,          ///< not watched: `runs_wanted` more runs would do
  mixed_gpus,    ///< not watched: few runs of several GPUs, whose difference looks like a change
  not_recorded,  ///< the runs do not have this metric
};
[[nodiscard]] constexpr std::string_view to_string(TrendState state) {
  switch (state) {
    case TrendState::steady: return "steady";
    case TrendState::breach: return "breach";
    case TrendState::creeping: return "creeping";
    case TrendState::stepped: return "stepped";
    case TrendState::not_accepted: return "not_accepted";
    case TrendState::pinned_elsewhere: return "pinned_elsewhere";
    case TrendState::few_runs: return "few_runs";
    case TrendState::mixed_gpus: return "mixed_gpus";
    case TrendState::not_recorded: return "not_recorded";
  }
  return "not_recorded";
}
[[nodiscard]] constexpr bool is_alert(TrendState state) {
  return state == TrendState::breach || state == TrendState::creeping ||
         state == TrendState::stepped;
}
[[nodiscard]] constexpr bool is_judged(TrendState state) {
  return state == TrendState::steady || is_alert(state);
}

/// A step of the level from one run to the next; values in the metric's unit.
struct TrendChange {
  TrendRun last{};   ///< of the level before
  TrendRun first{};  ///< of the level after
  double before = 0.0;
  double after = 0.0;
  bool worse = false;
  std::string accepted{};  ///< why, in the words of the pin or mark; empty = nobody accepted it
};

/// What a metric is watched against.
struct TrendAccepted {
  double value = 0.0;   ///< the pin's, or the level that began at the mark; in the metric's unit
  bool pinned = false;  ///< false: a level mark
  TrendRun at{};
  std::string reason{};
};

struct TrendMetric {
  std::string metric{};
  MetricKind kind = MetricKind::timed;
  std::string unit{};
  Better better = Better::lower;
  TrendState state = TrendState::not_recorded;
  std::vector<double> values{};   ///< of the runs that serve, oldest first
  std::optional<double> level{};  ///< as the gate forms it now; of a count the newest value
  int level_runs = 0;
  std::optional<TrendAccepted> accepted{};
  std::optional<double> change_ratio{};  ///< level / accepted - 1; empty where accepted is zero
  double margin_ratio = 0.0;             ///< 0 for counts
  bool margin_auto = false;
  std::vector<TrendChange> changes{};  ///< oldest first
  double sum = 0.0;                    ///< CUSUM's S; 0 for counts
  double threshold = 0.0;              ///< its h; 0 = none is formed
  TrendRun before{};  ///< of an alert: the last run before it began; run 0 = none is known
  TrendRun since{};   ///< of an alert: its first run
  std::optional<double>
      recent_ratio{};          ///< median of the last seven runs against what was accepted
  bool beyond_margin = false;  ///< `recent_ratio` is worse by more than the margin
  int runs_wanted = 0;
  int gpus = 0;            ///< of the runs that serve
  int other_gpu_runs = 0;  ///< left out
};

/// Drills with one thing planted in one size; `share` with its 95 % interval (Wilson).
struct TrendDrill {
  std::string planted{};
  bool nothing = false;     ///< `share` is the rate of false FAILs; else the power
  double size_ratio = 0.0;  ///< of the step
  int trials = 0;           ///< that were judged
  int failed = 0;
  double share = 0.0;
  double low = 0.0;
  double high = 1.0;
};

/// One workload in one environment.
struct TrendWorkload {
  std::string workload{};
  std::string path{};         ///< of its file; empty = none was named, its gates are not known
  std::string environment{};  ///< in words
  TrendRun newest{};          ///< run 0 = none is recorded
  TrendRun oldest{};
  int runs = 0;
  int gpus = 0;
  std::vector<TrendMetric> metrics{};
  std::vector<TrendRun> failed{};  ///< by the verdict they were recorded with, oldest first
  bool newest_failed = false;      ///< and no level was accepted at that run since
  std::vector<TrendDrill> drills{};
  int drills_not_judged = 0;
  std::vector<std::string> notes{};  ///< a sentence each
};

struct TrendReport {
  std::string store{};
  std::string branch{};
  std::string order{};  ///< how the runs are ordered, in words
  std::string now_utc{};
  int last = 0;     ///< runs looked at, at most
  int watched = 0;  ///< metrics that CUSUM's threshold is for
  std::vector<TrendWorkload> workloads{};
  std::vector<std::string> policies{};  ///< "--on-alert pass"
};

/// The number of alerts, and of what could not be judged: metrics, and workloads without a run.
struct TrendCounts {
  int alerts = 0;
  int not_judged = 0;
};
[[nodiscard]] inline TrendCounts count(const TrendReport& report) {
  TrendCounts counts;
  for (const TrendWorkload& workload : report.workloads) {
    counts.alerts += workload.newest_failed ? 1 : 0;
    counts.not_judged += workload.metrics.empty() ? 1 : 0;
    for (const TrendMetric& metric : workload.metrics) {
      counts.alerts += is_alert(metric.state) ? 1 : 0;
      counts.not_judged += is_judged(metric.state) ? 0 : 1;
    }
  }
  if (report.workloads.empty()) counts.not_judged = 1;
  return counts;
}

}  // namespace perfgate
