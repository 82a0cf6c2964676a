/// Named causes out of a ledger: rules, one a file, each with evidence in numbers. Pure.
///
/// No rule fires without evidence beyond its noise, or a count, which has none; an empty answer
/// means "cause not established".
#pragma once

#include <optional>
#include <vector>

#include "runner/model/analysis.h"
#include "runner/model/ledger.h"
#include "runner/model/timing.h"

namespace perfgate::analysis {

struct DiagnosisInput {
  const Ledger& ledger;
  const Analysis* head = nullptr;  ///< gaps, floors, capture verdict; null = none
  /// What the programs said that a step does; empty = unknown.
  std::optional<WorkDone> base_work{};
  std::optional<WorkDone> head_work{};
};

/// By falling `explains_ms`; a cause that another one already contains is left out. Together the
/// causes explain no more than the change (Diagnosis::explains_ms): where they claim more, time on
/// the GPU is served before idle time, which tracing lengthens, and all claims of a kind get the
/// same share. A ledger that is not established lowers every confidence by one; invalid captures
/// of the head, or another amount of work, leave nothing above `possible`.
[[nodiscard]] std::vector<Diagnosis> diagnose(const DiagnosisInput& input);

}  // namespace perfgate::analysis
