/// The rules a gate can follow, one row each. A new rule is a file in gates/rules and a row here.
#pragma once

#include <span>
#include <string_view>

#include "gates/decision.h"

namespace perfgate::gates {

struct GateRule {
  std::string_view name;
  std::string_view summary;  ///< one line, for the reference
  bool needs_baseline = true;
  bool (*applies)(const GateSpec& gate, MetricKind kind) = nullptr;
  MetricDecision (*judge)(const MetricCase& metric) = nullptr;
};

/// In the order in which they are asked. Every gate has at least one rule that applies.
[[nodiscard]] std::span<const GateRule> gate_rules();

}  // namespace perfgate::gates
