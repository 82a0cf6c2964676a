/// The catalogue of causes that can be named, in the order in which they are asked: the specific
/// ones first, so that the generic ones see only what is left.
///
/// To add one: rules/NAME.cpp, declared in rules.h, a row in rule_catalog.cpp, a test.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "runner/analysis/diagnosis/unclaimed.h"

namespace perfgate::analysis {

struct DiagnosisRule {
  std::string_view name;  ///< Diagnosis::rule
  std::string_view doc;   ///< its signature, one line
  /// Looks at what is left. Findings of one rule explain different parts.
  std::vector<Finding> (*look)(const Unclaimed& unclaimed) = nullptr;
};

/// The rule that diagnose() itself asks for; a row's name.
inline constexpr std::string_view kOtherWork = "other_work";
[[nodiscard]] std::span<const DiagnosisRule> diagnosis_rules();

}  // namespace perfgate::analysis
