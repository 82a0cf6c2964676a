#include "gates/gate_catalog.h"

#include <array>

#include "gates/rules/absolute_limits.h"
#include "gates/rules/counted_exact.h"
#include "gates/rules/two_bound.h"

namespace perfgate::gates {
namespace {

bool has_limits(const GateSpec& gate, MetricKind /*kind*/) {
  return gate.max.has_value() || gate.min.has_value();
}

bool compares_counts(const GateSpec& gate, MetricKind kind) {
  if (gate.exact || gate.slack) return true;
  const bool limits_only = has_limits(gate, kind) && !gate.margin_ratio && !gate.tolerance_ratio;
  return kind == MetricKind::counted && !limits_only;
}

/// A gate with nothing but limits asks for nothing else.
bool compares_times(const GateSpec& gate, MetricKind kind) {
  if (compares_counts(gate, kind)) return false;
  return !has_limits(gate, kind) || gate.margin_ratio || gate.tolerance_ratio;
}

constexpr std::array kRules{
    GateRule{.name = "two_bound",
             .summary = "a time against the store's level, with a margin and a tolerance",
             .needs_baseline = true,
             .applies = compares_times,
             .judge = judge_two_bound},
    GateRule{.name = "counted_exact",
             .summary = "a count against the newest baseline run, exactly or with a slack",
             .needs_baseline = true,
             .applies = compares_counts,
             .judge = judge_counted},
    GateRule{.name = "absolute_limits",
             .summary = "a value against max and min, without a baseline",
             .needs_baseline = false,
             .applies = has_limits,
             .judge = judge_absolute_limits},
};

}  // namespace

std::span<const GateRule> gate_rules() { return kRules; }

}  // namespace perfgate::gates
