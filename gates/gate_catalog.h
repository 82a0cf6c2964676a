/// The rules a gate can follow, one row each. A new rule is a file in gates/rules and a row here.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gates/decision.h"

namespace perfgate::gates {

struct GateRule {
  std::string_view name;
  std::string_view summary;  ///< one line, for the reference
  bool needs_baseline = true;
  bool (*applies)(const GateSpec& gate, MetricKind kind) = nullptr;
  MetricDecision (*judge)(const MetricCase& metric) = nullptr;
  /// Against a base of the same session; nullptr where no baseline is needed.
  MetricDecision (*judge_pairs)(const PairCase& pair) = nullptr;
};

/// In the order in which they are asked. Every gate has at least one rule that applies.
[[nodiscard]] std::span<const GateRule> gate_rules();

/// A key of a gate that no rule can use for its metric, and what to write instead.
struct MisplacedKey {
  std::string_view key;  ///< "exact"
  std::string message;
  std::string hint;
};

/// The first such key; empty = the gate asks for something that its rules can answer. A metric that
/// the program reports itself may be a time or a count: only the program knows, so `exact` and
/// `slack` are its author's choice.
[[nodiscard]] std::optional<MisplacedKey> misplaced_key(const GateSpec& gate, MetricKind kind);

}  // namespace perfgate::gates
