/// What a rule gets and what it gives back. Plain data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/model/comparison.h"
#include "runner/model/metric.h"
#include "runner/model/workload_spec.h"

namespace perfgate::gates {

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
  int most_processes = 200;      ///< beyond this, "more processes" is no honest advice
  int most_runs = 30;            ///< likewise for runs; no more are selected
};

/// A metric as one rule sees it, before the report's evidence is weighed.
struct MetricDecision {
  Comparison comparison{};
  /// One-sided p value of "worse by no more than the margin". Empty: the rule decides without
  /// statistics.
  std::optional<double> p_value{};
  /// Empty: the store's evidence may fail this metric once Holm's test over the report agrees. Else
  /// why not.
  std::string restraint{};
  /// Not empty: this gate can never pass as written.
  std::string configuration_error{};
  /// Part of the interval's variance that more processes in this run would shrink, 0 to 1.
  double process_part = 0.0;
  std::vector<Reason> notes{};  ///< facts beside the outcome: pinned level breached
};

/// The row of a gate before anything is decided: names, head value, counts; outcome invalid.
[[nodiscard]] Comparison outline(const GateSpec& gate, const MetricValue& head,
                                 const BaselineSeries& base);

}  // namespace perfgate::gates
