#include "gates/gate_catalog.h"

#include <array>
#include <utility>

#include "gates/paired_times.h"
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
    GateRule{
        .name = "two_bound",
        .summary =
            "a time against the store's level or a base in session, with a margin and a tolerance",
        .needs_baseline = true,
        .applies = compares_times,
        .judge = judge_two_bound,
        .judge_pairs = judge_paired_times},
    GateRule{
        .name = "counted_exact",
        .summary =
            "a count against the newest baseline run or a base in session, exactly or with a slack",
        .needs_baseline = true,
        .applies = compares_counts,
        .judge = judge_counted,
        .judge_pairs = judge_paired_counts},
    GateRule{.name = "absolute_limits",
             .summary = "a value against max and min, without a baseline",
             .needs_baseline = false,
             .applies = has_limits,
             .judge = judge_absolute_limits},
};

}  // namespace

std::span<const GateRule> gate_rules() { return kRules; }

std::optional<MisplacedKey> misplaced_key(const GateSpec& gate, MetricKind kind) {
  const std::string what = "'" + gate.metric + "' is a " + std::string(to_string(kind)) + " metric";
  if (kind == MetricKind::counted) {
    for (const auto& [key, is_there] : {std::pair{"margin", gate.margin_ratio.has_value()},
                                        {"tolerance", gate.tolerance_ratio.has_value()},
                                        {"at_least", gate.at_least.has_value()}}) {
      if (!is_there) continue;
      return MisplacedKey{key, std::string(key) + " is for times, and " + what,
                          "a count is compared as it is; write slack: N for a rise to accept"};
    }
    return std::nullopt;
  }
  if (gate.metric.starts_with("reported/")) return std::nullopt;
  for (const auto& [key, is_there] :
       {std::pair{"exact", gate.exact}, {"slack", gate.slack.has_value()}}) {
    if (!is_there) continue;
    return MisplacedKey{key, std::string(key) + " is for counts, and " + what,
                        "two runs never take the same time; write margin and tolerance"};
  }
  return std::nullopt;
}

}  // namespace perfgate::gates
