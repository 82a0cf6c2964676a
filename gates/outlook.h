/// What a gate will be able to see, before anything runs: out of the runs that would be its
/// baseline and the workload file alone. Pure.
///
/// A run is taken to have as many processes as the file's last look, which differ as those of the
/// store do; its interval has then the standard error e, the degrees f and, at the look's level,
/// the half-width c e (store_level.h; c a quantile of t). With power.h's P(x) for "a test with e, f
/// and c rejects where the truth lies x beyond the margin":
///
///   found in 95 of 100     the slowdown m + x with P(x) = 0.95: the figure that reports give as
///                          `finds_from`. Against the store c is the larger of the look's and the
///                          one that Holm's test asks of a single suspect (more may be asked where
///                          runs of the store stray, lone_run.h); in session the last look
///                          and the fresh pairs must both find it, and the SD of a pair is sqrt(2)
///                          times that of a process (paired_times.h), which is known as well as
///                          the processes of the store's runs tell it. The automatic margin in
///                          session is that of one GPU (gpu_spread.h).
///   smallest honest        T with P(T) = 0.95. An unchanged run passes where d + c e < T, which is
///   tolerance              (T - d) / e > c: the same test, turned around (power.h's source; the
///                          usual sizing of equivalence tests, Schuirmann 1987). Below it more than
///                          5 of 100 unchanged runs stay INCONCLUSIVE.
///
/// Both count one look, the last: earlier looks end runs that are clear already. e is what the
/// store's runs show; a store of few runs knows it badly, and f says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gates/decision.h"

namespace perfgate::gates {

/// References must outlive the call only.
struct OutlookCase {
  const WorkloadSpec& spec;
  const GateSpec& gate;  ///< one of `spec`
  MetricKind kind = MetricKind::timed;
  Better better = Better::lower;  ///< of the metric; the gate may say otherwise
  const BaselineSeries& base;     ///< without points where the store has none
  std::string head_instance{};    ///< gpu_uuid of the run to come; empty = unknown
};

enum class GateQuestion : std::uint8_t { times, counts, limits };
/// "times", "counts", "limits".
[[nodiscard]] std::string_view to_string(GateQuestion question);

/// A change for the worse.
struct Extent {
  double ratio = 0.0;   ///< of the level; 0 where that is zero
  double amount = 0.0;  ///< in the metric's unit, without a sign
};

struct Outlook {
  std::string metric{};
  MetricKind kind = MetricKind::timed;
  std::string unit{};                            ///< empty where the store has no value of it
  GateQuestion question = GateQuestion::limits;  ///< `limits`: by `max` and `min` alone
  std::string problem{};                         ///< the store's values are no measurement
  int runs = 0;                                  ///< that would serve
  std::int64_t since_run = 0;  ///< the runs before this one were another level; 0 = all serve
  std::vector<std::int64_t> apart{};  ///< runs of that level that lie apart and do not serve
  int processes = 0;                  ///< of the last look
  double level = 0.0;                 ///< in the metric's unit
  Extent run_sd{};                    ///< from run to run; zero = not known
  Extent process_sd{};                ///< from process to process within a run; zero = not known

  bool margin_auto = false;
  bool tolerance_auto = false;
  /// After `at_least`. Empty where no spread is known and the file leaves them to it.
  std::optional<Extent> margin{};
  std::optional<Extent> tolerance{};

  /// Found in 95 of 100 runs. Empty = none is, or it is not known.
  std::optional<Extent> suspects_from{};  ///< SUSPECTED at least, against the store
  std::optional<Extent> fails_from{};     ///< FAIL, against the store alone
  std::optional<Extent> session_from{};   ///< FAIL in session, confirmed by fresh pairs
  std::optional<Extent> honest_tolerance{};
  double passes_unchanged = 0.0;  ///< probability; 0 where nothing is known

  /// Why the store alone can only suspect: `few_runs`, `other_gpu`, `unknown_gpu`; `no` = it can
  /// fail. `runs_to_fail` more runs would change that (0 = no number of them).
  Unsettled fail_obstacle = Unsettled::no;
  int runs_to_fail = 0;
  /// Why an unchanged run would not pass: `few_runs` (none), `no_spread`, `zero_ratio`,
  /// `counts_disagree`, `wide_interval` (in more than 5 of 100). Of `wide_interval`, what would
  /// help: processes in all, runs in all; 0 = no reasonable number.
  Unsettled pass_obstacle = Unsettled::no;
  int processes_to_pass = 0;
  int runs_to_pass = 0;
};

[[nodiscard]] Outlook outlook_of(const OutlookCase& gate);

}  // namespace perfgate::gates
