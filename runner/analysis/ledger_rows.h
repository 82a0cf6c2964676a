/// What the rows and sides of a ledger open into. Pure.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runner/model/analysis.h"
#include "runner/model/ledger.h"
#include "runner/model/timing.h"

namespace perfgate::analysis {

/// Rows that a report could show; the rest of a long tail is in the row's sum.
inline constexpr std::size_t kOpenRows = 40;

/// Records, launches and API calls a step: means over the processes.
void add_counts(std::span<const TracedProcess* const> processes, LedgerSide& side);
/// Medians of what NVML said; absent where it said nothing.
void add_samples(std::span<const DeviceSample> samples, LedgerSide& side);
/// The changes of the row's family, `same` left out, and the family's time by place.
void add_kernels(std::span<const KernelChange> changes, LedgerRow& row);
/// The gaps of both sides by what stands around them, per idle cause (GapChange says which).
using GapsByCause = std::map<std::string, std::vector<GapChange>>;
[[nodiscard]] GapsByCause gap_changes(std::span<const TracedProcess* const> base,
                                      std::span<const TracedProcess* const> head);
/// Those of the row's cause.
void add_gaps(const GapsByCause& gaps, LedgerRow& row);

/// How well the sum of a ledger's rows is known beside the change of the step.
struct RestError {
  double standard_error = 0.0;         ///< ms
  std::optional<double> half_width{};  ///< 95 %; empty = unknown
};
/// Adds `unattributed`, the change of the step that no row has, and says whether it is small enough
/// for the ledger to be established: at most a tenth of the change, or two standard errors.
void close_ledger(const RestError& error, Ledger& ledger);

}  // namespace perfgate::analysis
