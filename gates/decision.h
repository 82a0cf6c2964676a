/// What a rule gets and what it gives back. Plain data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gates/bounds.h"
#include "runner/model/comparison.h"
#include "runner/model/metric.h"
#include "runner/model/workload_spec.h"

namespace perfgate::gates {

/// Family-wise level of Holm's test: over the gated metrics of a report (store), or over its
/// suspects on fresh pairs (in session).
inline constexpr double kReportLevel = 0.01;

/// Fresh pairs that confirm or clear a suspect.
inline constexpr int kConfirmTimingPairs = 16;
inline constexpr int kConfirmTracePairs = 5;

/// One gate of the workload file with the values it looks at. References must outlive the call
/// only.
struct MetricCase {
  const GateSpec& gate;
  const MetricValue& head;
  const BaselineSeries& base;    ///< without points for rules that need no baseline
  std::string head_instance{};   ///< gpu_uuid; empty = unknown
  double look_level = 0.05;      ///< two-sided level of one look (Pocock)
  double evidence_level = 0.01;  ///< one-sided; what a FAIL needs of this gate among the report's
  int last_look = 0;             ///< processes at the last look
  bool base_at_hand = false;     ///< fresh pairs decide what does not pass
  bool is_recording = false;     ///< a breach of the pinned level fails
  int most_processes = 200;      ///< beyond this, "more processes" is no honest advice
  int most_runs = 30;            ///< likewise for runs; no more are selected
};

/// One gate with the values of both arms of a session: sample i of the base and sample i of the
/// head are a pair. References must outlive the call only.
struct PairCase {
  const GateSpec& gate;
  const MetricValue& base;
  const MetricValue& head;
  const BaselineSeries* history = nullptr;  ///< of the store, for the spread from run to run only
  std::string head_instance{};              ///< gpu_uuid; empty = unknown
  double look_level = 0.05;                 ///< two-sided level of one look (Pocock)
  int first_look = 0;                       ///< processes an arm
  int last_look = 0;
  int confirm_pairs = kConfirmTimingPairs;
  int most_pairs = 200;  ///< beyond this, "more pairs" is no honest advice
};

/// What lone_run.h weighs: the runs that serve, those that lie apart included, and the head.
struct StoreDistances {
  std::vector<RunDistance> runs{};
  Frame frame{};
  double head_off = 0.0;  ///< positive = worse
  double head_error = 0.0;
  TestStage test{};  ///< of the head against all runs
};

/// A metric as one rule sees it, before the report's evidence is weighed.
struct MetricDecision {
  Comparison comparison{};
  /// Empty: the store's evidence may fail this metric once Holm's test over the report agrees. Else
  /// why not.
  std::string restraint{};
  /// Not empty: this gate can never pass as written.
  std::string configuration_error{};
  /// Part of the interval's variance that more processes in this run would shrink, 0 to 1.
  double process_part = 0.0;
  std::vector<Reason> notes{};  ///< facts beside the outcome: pinned level breached
  std::string code{};           ///< of the row's reason; empty = by its outcome
  StoreDistances distances{};   ///< of comparisons of times with the store
};

/// The row of a gate before anything is decided: names, head value, counts; outcome invalid.
[[nodiscard]] Comparison outline(const GateSpec& gate, const MetricValue& head,
                                 const BaselineSeries& base);
/// The same in session: n_base counts processes.
[[nodiscard]] Comparison outline_pairs(const GateSpec& gate, const MetricValue& head,
                                       const MetricValue& base);

/// A row without figures; `metric` may be nullptr, where the run has no value.
[[nodiscard]] MetricDecision undecided(const GateSpec& gate, const MetricValue* metric,
                                       Outcome outcome, std::string reason,
                                       Unsettled unsettled = Unsettled::no, int runs_to_settle = 0);

/// Keeps what comparing came to, once a row that a rule compared is as it stays; again, where it is
/// decided anew. A limit's finding stays.
void note_compared(Comparison& row, Outcome outcome);

/// Takes back what would settle a row that is settled.
void settle(Comparison& row);

/// Two rules of one gate: the worse outcome, both sentences, the figures of the rule that compared.
void merge(MetricDecision& all, MetricDecision next);

}  // namespace perfgate::gates
