/// Named causes out of a ledger: rules, one a file, each with evidence in numbers. Pure.
///
/// No rule fires without evidence beyond its noise; an empty answer means "cause not established".
#pragma once

#include <optional>
#include <vector>

#include "runner/model/analysis.h"
#include "runner/model/fingerprint.h"
#include "runner/model/ledger.h"

namespace perfgate::analysis {

struct DiagnosisInput {
  const Ledger& ledger;
  const Analysis* head = nullptr;                ///< gaps, floors, capture verdict; null = none
  std::vector<FingerprintDifference> changed{};  ///< subject facts that differ
};

/// By falling `explains_ms`; a cause that another one already contains is left out.
[[nodiscard]] std::vector<Diagnosis> diagnose(const DiagnosisInput& input);

}  // namespace perfgate::analysis
