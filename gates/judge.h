/// The joint verdict of one run against the store. Pure: the same input gives the same bytes.
///
/// - A measurement that cannot be used is invalid, and nothing else is asked.
/// - Each gate of the workload file is screened by the rules of gate_catalog.h.
/// - Suspects (worse by more than the margin) fail only on enough evidence: `kRunsToFail`
///   comparable runs, an instance that the store knows (store_level.h), and Holm's test over all
///   gated metrics of the report at 1 % for all looks together (each has its part, as with Pocock's
///   levels), and where runs of the store strayed by themselves they have to lie off by more than
///   those (lone_run.h); else they are `suspected`. No base has run in this session, so nothing can
///   be confirmed here: `Comparison::confirmed` stays false. In a session with a base, fresh pairs
///   decide them instead (pairs.h).
/// - The verdict is the worst outcome in `kWorstFirst`; every reason is listed, worst first.
///
/// Traced and counted metrics are judged only out of a valid capture; times out of captures only if
/// traced / untraced is known and within `kTracedOverUntracedBound` on both sides; only values of
/// one unit (series.h). A control that moved by more than half a metric's margin makes its
/// comparison void, and so does another program on the GPU; `Comparison::unsettled` says whether it
/// moved during the run or since the baseline; `max` and `min` need no comparison and stand. What
/// would decide an undecided gate is in `Comparison::unsettled` and the figures beside it.
/// `Comparison::p_value` is set wherever statistics decided the row, whatever its outcome.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gates/decision.h"
#include "gates/work.h"
#include "runner/model/analysis.h"
#include "runner/model/comparison.h"
#include "runner/model/metric.h"
#include "runner/model/run_result.h"
#include "runner/model/workload_spec.h"

namespace perfgate::gates {

/// The joint verdict is the first of these that a gate has. Matches the exit codes 1, 4, 3, 0.
inline constexpr std::array kWorstFirst{
    Outcome::fail,        Outcome::invalid,   Outcome::not_comparable,
    Outcome::no_baseline, Outcome::suspected, Outcome::inconclusive,
    Outcome::pass};

/// Tracing that changes the step by more than this has changed what it shows.
inline constexpr double kTracedOverUntracedBound = 0.05;

/// Views must outlive the call only. Metrics and series are found by the gate's metric id.
struct GateInput {
  const WorkloadSpec& spec;
  std::span<const MetricValue> metrics{};
  std::span<const BaselineSeries> baseline{};
  BaselineChoice choice{};
  CaptureVerdict capture{};
  bool capture_expected = true;       ///< false: the run was made without traced processes
  double traced_over_untraced = 0.0;  ///< 0 = cannot be formed
  std::optional<double> base_traced_over_untraced{};
  std::span<const ControlReading> controls{};
  std::string bounding_control{};  ///< name of the one that bounds the workload; empty = all
  std::string shared_gpu{};        ///< who else was on the GPU, in words; empty = nobody is known
  std::string head_instance{};     ///< gpu_uuid; empty = unknown
  bool base_at_hand = false;       ///< fresh pairs decide what the store does not pass
  bool is_recording = false;       ///< the branch's own: a breach of the pinned level fails
  bool measurement_ok = true;
  MeasurementProblem measurement_problem{};  ///< when not ok
  /// Against the newest comparable run; what it does to rows is in work.h.
  std::span<const WorkChange> work{};
};

/// What `next_look` needs to know of a gate.
struct Sensitivity {
  std::string metric{};
  MetricKind kind = MetricKind::timed;
  double process_part =
      0.0;  ///< share of the interval's variance that more processes shrink, 0 to 1
};

struct GateOutput {
  std::vector<Comparison> comparisons;     ///< one a gate, in the file's order
  std::vector<Sensitivity> sensitivities;  ///< parallel to comparisons
  std::vector<Observation> observed;       ///< the metrics without a gate, see observe.h
  Verdict verdict;
  /// Gates that can never pass as written, one sentence each. The caller ends with exit 2.
  std::vector<std::string> configuration_errors;
};

/// Rows, sensitivities and configuration errors of decided gates; the rest is the caller's.
[[nodiscard]] GateOutput output_of(std::vector<MetricDecision> decisions);

[[nodiscard]] GateOutput judge(const GateInput& input);

/// The level of Holm's test over a report out of the store at one look: each look may fail the
/// report, so each has its part of `kReportLevel`, as Pocock's level is its part of 5 %.
[[nodiscard]] double report_level_of_look(const WorkloadSpec& spec);

/// The worst of some outcomes by `kWorstFirst`; `invalid` for none, as nothing was judged.
[[nodiscard]] Outcome worst_outcome(std::span<const Outcome> outcomes);

}  // namespace perfgate::gates
