/// Baseline series, comparisons and verdicts: what passes between baselines, gates and reporters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/fingerprint.h"
#include "runner/model/metric.h"
#include "runner/model/outcome.h"
#include "runner/model/result.h"

namespace perfgate {

/// One recorded run's values of one metric.
struct BaselinePoint {
  std::int64_t run = 0;  ///< store row
  std::string commit;
  std::string recorded_utc;     ///< ISO 8601
  std::string instance;         ///< gpu_uuid
  std::vector<double> samples;  ///< per process
  double value = 0.0;           ///< mean or median as the gate's statistic forms it
};

/// The values of one metric in one occasion of A/A runs (`calibrate --noise`): one GPU, one hour.
struct AaOccasion {
  std::string instance{};        ///< gpu_uuid; empty = unknown
  std::vector<double> values{};  ///< one a run
};

/// A metric's history since its last level change, oldest first.
struct BaselineSeries {
  std::string metric;
  MetricKind kind = MetricKind::timed;
  std::string unit;
  std::optional<Better> better{};  ///< as those runs reported it; empty = not known
  std::vector<BaselinePoint> points;
  std::optional<double> pinned;   ///< accepted level
  std::string pinned_instance{};  ///< gpu_uuid of the run that was pinned; empty = unknown
  /// A/A run-to-run SD on the log scale, over all GPUs that were calibrated.
  std::optional<double> calibrated_sd_ratio;
  /// What it was formed of, where the store has that; empty where nothing is calibrated.
  std::vector<AaOccasion> aa_occasions{};
};

/// Which points serve as the baseline and why those.
struct BaselineChoice {
  std::string commit;  ///< newest point's commit; empty = no baseline
  std::string how;     ///< "store: 10 runs on branch main, newest 3f2a91c (2026-11-02)"
  Comparability comparability;
  bool exists = false;
  /// Without a baseline, though the branch has comparable runs: none of them is of an ancestor.
  bool no_ancestor = false;
};

/// What stands between a gate and a decision, where something can be done about it. The figures are
/// in `Comparison`.
enum class Unsettled : std::uint8_t {
  no,               ///< decided, or nobody knows what would decide it
  few_runs,         ///< the store has fewer runs than a FAIL needs: `runs_to_settle` more
  other_gpu,        ///< the store's runs come from other GPUs: `runs_to_settle` more of this one
  unknown_gpu,      ///< which GPU ran is not known
  weak_evidence,    ///< beyond the margin, but not by enough for the report as a whole
  no_spread,        ///< one run in the store shows no spread: `runs_to_settle` more
  wide_interval,    ///< the interval reaches over the margin and over the tolerance
  tracing,          ///< tracing changed the step too much, in this run or in the baseline
  zero_ratio,       ///< a value is zero, and the gate has no `at_least`
  counts_disagree,  ///< the traced processes of a run counted differently
  better_count,     ///< an exact count became better
  control_in_run,   ///< a control moved during this run: a clock or a neighbour changed
  no_ancestor,      ///< the branch has runs, none of them of an ancestor: merge or rebase
  other_unit,       ///< the store has this metric in another unit
  shared_gpu,       ///< another program was on the GPU while this run was measured
  control_since,    ///< a control lies off its level in the store: the GPU is another one now
  unconfirmed,      ///< beyond the margin at a look in session; fresh pairs would tell
  other_direction,  ///< the store or the base reports the other direction as better
  unplaced_level,  ///< the newest runs lie apart, and the level is not known: `runs_to_settle` more
  lone_run,        ///< far off for normal noise, but runs of the store strayed as well: try a base
  lone_process,    ///< one process of this run lies apart and makes it uncertain: run again
};
[[nodiscard]] std::string_view to_string(Unsettled unsettled);
[[nodiscard]] Result<Unsettled> unsettled_from_string(std::string_view word);

/// What a head is compared with: the runs of the store, or a base that ran in the same session.
enum class Against : std::uint8_t { store, session };
[[nodiscard]] std::string_view to_string(Against against);
[[nodiscard]] Result<Against> against_from_string(std::string_view word);

/// What one rule of a gate found. Whoever reads a row decides by it, never by the row's words.
enum class RuleCode : std::uint8_t {
  unknown,      ///< of a later perfgate
  above_limit,  ///< the value is above the gate's `max`
  below_limit,  ///< it is below the gate's `min`
  keeps_limit,
  no_value,  ///< held against a limit, the value is no number
  compared,  ///< with the baseline, or not, for want of one: `outcome` says which
};
[[nodiscard]] std::string_view to_string(RuleCode code);
/// A word that this perfgate does not know is `unknown`.
[[nodiscard]] RuleCode rule_code_from_string(std::string_view word);

struct RuleFinding {
  RuleCode code = RuleCode::unknown;
  std::optional<double> limit{};       ///< that was broken
  Outcome outcome = Outcome::invalid;  ///< what this rule alone comes to
};

/// How one metric was decided.
struct Comparison {
  std::string metric;
  MetricKind kind = MetricKind::timed;
  std::string unit;
  Better better = Better::lower;
  Against against = Against::store;
  double base = 0.0;
  double head = 0.0;
  double delta_ratio = 0.0;   ///< head / base - 1; positive = larger
  double ci_low_ratio = 0.0;  ///< of delta_ratio; both 0 with `interval_known` false
  double ci_high_ratio = 0.0;
  bool interval_known = false;
  double interval_level = 0.0;  ///< coverage of the interval, 0.95 = 95 %; 0 = not stated
  double margin_ratio = 0.0;
  double tolerance_ratio = 0.0;
  bool margin_auto = false;
  bool tolerance_auto = false;
  double at_least =
      0.0;         ///< of the gate, in `unit`: both bounds are this change at least; 0 = none
  int n_base = 0;  ///< runs (store) or processes (in session)
  /// Runs of other GPUs that the store has and that do not serve: the `n_base` runs on this run's
  /// GPU are enough alone. 0 = none was left out for that.
  int other_gpu_runs = 0;
  int n_head = 0;  ///< processes
  /// FAIL only: fresh pairs of processes, which no look had seen, showed it again.
  bool confirmed = false;
  /// One-sided, of "worse by no more than the margin"; empty = decided without statistics.
  std::optional<double> p_value;
  Outcome outcome = Outcome::invalid;
  bool improved = false;
  std::string reason;  ///< one sentence with the numbers
  /// One a rule, in the order in which `reason` tells them. Empty: no rule was asked, or the row is
  /// of an earlier perfgate, which did not say.
  std::vector<RuleFinding> findings{};
  /// The smallest slowdown that a PASS excludes (its interval's high end); 0 = none.
  double excludes_above_ratio = 0.0;
  /// The smallest slowdown that this gate, as it stands, finds in 95 of 100 such runs; 0 = unknown.
  double finds_from_ratio = 0.0;
  Unsettled unsettled = Unsettled::no;
  /// What the store's newest runs came to, oldest first; empty: none of them is comparable.
  std::vector<double> history{};
  int processes_to_settle = 0;  ///< more processes in a run like this that would; 0 = unknown
  int runs_to_settle = 0;       ///< more comparable runs in the store that would; 0 = unknown
  /// INCONCLUSIVE: with a tolerance above this the same figures pass; 0 = unknown.
  double passing_tolerance_ratio = 0.0;
};

/// A metric that no gate asks for, against the store: it explains a verdict and decides nothing.
struct Observation {
  std::string metric;
  std::string unit;
  double base = 0.0;  ///< mean over the store's runs; 0 for a family or cause that they lack
  double head = 0.0;
  std::optional<double> noise;  ///< a change up to this is chance (99 %); empty = one run only
  int n_base = 0;               ///< runs
};

struct Reason {
  std::string code;  ///< stable word: "breach", "capture_invalid", "environment_differs", ...
  std::string text;
  std::string metric{};  ///< of the row that it is about; empty = of the report
};

/// Why a measurement as a whole cannot be judged.
enum class ProblemCode : std::uint8_t {
  unknown,               ///< of a later perfgate
  process_failed,        ///< a process crashed, hung, gave nothing
  recording_incomplete,  ///< a part of the recording is missing, or is a copy
  different_work,        ///< processes that should do the same did not
};
[[nodiscard]] std::string_view to_string(ProblemCode code);
/// A word that this perfgate does not know is `unknown`.
[[nodiscard]] ProblemCode problem_code_from_string(std::string_view word);

struct MeasurementProblem {
  ProblemCode code = ProblemCode::unknown;
  std::string detail{};  ///< one sentence; reason_text.h makes the whole one
};

struct Verdict {
  Outcome outcome = Outcome::invalid;
  std::vector<Reason> reasons;
  std::vector<std::string> policies;  ///< "--on-no-baseline pass"
  /// Of a reason "measurement_invalid"; without it the verdict is of an earlier perfgate.
  std::optional<MeasurementProblem> problem{};
};

}  // namespace perfgate
