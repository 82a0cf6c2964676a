/// What the rows and sides of a ledger open into. Pure.
#pragma once

#include <span>
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
/// The gaps whose label is the row's cause.
void add_gaps(std::span<const TracedProcess* const> base,
              std::span<const TracedProcess* const> head, LedgerRow& row);

}  // namespace perfgate::analysis
