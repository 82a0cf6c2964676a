#include "runner/analysis/diagnosis/unclaimed.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "runner/analysis/diagnosis/thresholds.h"
#include "runner/analysis/range_names.h"

namespace perfgate::analysis {
namespace {

constexpr double kFloorOfStep = 0.001;
constexpr double kFloorMs = 0.005;
/// As kernel_match.cpp has it: a loop that does not divide by the steps moves by a fraction.
constexpr double kSameCalls = 0.01;
/// At one place and as often; a kernel that takes a quarter more is not the same in another name.
constexpr double kSameTime = 0.25;

bool is_near(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

bool is_renamed(const KernelChange& gone, const KernelChange& added) {
  return gone.fate == KernelFate::gone && added.fate == KernelFate::added &&
         is_near(gone.base.calls_per_step, added.head.calls_per_step, kSameCalls) &&
         is_near(gone.base.ms_per_step, added.head.ms_per_step, kSameTime) && !gone.place.empty() &&
         collapse_indices(gone.place) == collapse_indices(added.place);
}

void join_renamed(std::vector<UnclaimedKernel>& kernels) {
  std::set<const UnclaimedKernel*> joined;
  for (UnclaimedKernel& gone : kernels) {
    if (gone.change.fate != KernelFate::gone) continue;
    const auto added = std::ranges::find_if(kernels, [&](const UnclaimedKernel& other) {
      return !joined.contains(&other) && is_renamed(gone.change, other.change);
    });
    if (added == kernels.end()) continue;
    joined.insert(&*added);
    gone.change.fate = KernelFate::replaced;
    gone.change.family = added->change.family;
    gone.change.head = added->change.head;
    gone.head_row = added->head_row;
  }
  std::vector<UnclaimedKernel> kept;
  for (const UnclaimedKernel& kernel : kernels) {
    if (!joined.contains(&kernel)) kept.push_back(kernel);
  }
  kernels = std::move(kept);
}

std::optional<double> count_on(const LedgerSide& side, std::string_view name) {
  constexpr std::string_view kCalls = "calls/";
  const auto count = side.counts.find(std::string(name));
  if (count != side.counts.end()) return count->second;
  const bool others = std::ranges::any_of(
      side.counts, [&](const auto& other) { return other.first.starts_with(kCalls); });
  return name.starts_with(kCalls) && others ? std::optional(0.0) : std::nullopt;
}

std::set<std::size_t> rows_of(const Unclaimed& unclaimed, const Part& part) {
  std::set<std::size_t> rows;
  for (const auto& [row, ms] : part.rows) rows.insert(row);
  for (const std::size_t index : part.kernels) {
    const UnclaimedKernel& kernel = unclaimed.kernels[index];
    for (const std::size_t row : {kernel.base_row, kernel.head_row}) {
      if (row != kNoRow) rows.insert(row);
    }
  }
  return rows;
}

}  // namespace

Unclaimed unclaimed_of(const DiagnosisInput& input) {
  const Ledger& ledger = input.ledger;
  const double step_ms = std::max(ledger.step.base, ledger.base.traced_step_ms);
  Unclaimed unclaimed{.ledger = ledger,
                      .head = input.head,
                      .base_work = input.base_work,
                      .head_work = input.head_work,
                      .floor_ms = std::max(kFloorOfStep * step_ms, kFloorMs)};
  for (std::size_t row = 0; row < ledger.rows.size(); ++row) {
    unclaimed.left_ms.push_back(ledger.rows[row].ms.change());
    for (const KernelChange& change : ledger.rows[row].kernels) {
      UnclaimedKernel kernel{.change = change};
      if (change.fate != KernelFate::added) kernel.base_row = row;
      if (change.fate != KernelFate::gone) kernel.head_row = row;
      unclaimed.kernels.push_back(std::move(kernel));
    }
  }
  join_renamed(unclaimed.kernels);
  return unclaimed;
}

double ms_of(const Unclaimed& unclaimed, const Part& part) {
  double ms = 0.0;
  for (const auto& [row, of_row] : part.rows) ms += of_row;
  for (const std::size_t index : part.kernels) ms += unclaimed.kernels[index].change.change_ms();
  return ms;
}

bool matters(const Unclaimed& unclaimed, const Part& part) {
  double variance = 0.0;
  for (const std::size_t row : rows_of(unclaimed, part)) {
    const std::optional<double>& half_width = unclaimed.ledger.rows[row].ms.half_width;
    if (!half_width) return false;
    variance += *half_width * *half_width;
  }
  const double ms = ms_of(unclaimed, part);
  const double noise = std::sqrt(variance) * (step_is_slower(unclaimed) ? 1.0 : 2.0);
  return ms >= unclaimed.floor_ms && ms > noise;
}

void take(Unclaimed& unclaimed, const Part& part) {
  unclaimed.taken_gaps.insert(part.gaps.begin(), part.gaps.end());
  for (const auto& [row, ms] : part.rows) unclaimed.left_ms[row] -= ms;
  for (const std::size_t index : part.kernels) {
    UnclaimedKernel& kernel = unclaimed.kernels[index];
    kernel.taken = true;
    if (kernel.base_row != kNoRow) {
      unclaimed.left_ms[kernel.base_row] += kernel.change.base.ms_per_step;
    }
    if (kernel.head_row != kNoRow) {
      unclaimed.left_ms[kernel.head_row] -= kernel.change.head.ms_per_step;
    }
  }
}

std::optional<CountChange> count_of(const Unclaimed& unclaimed, std::string_view name) {
  const auto base = count_on(unclaimed.ledger.base, name);
  const auto head = count_on(unclaimed.ledger.head, name);
  if (!base || !head) return std::nullopt;
  return CountChange{.base = *base, .head = *head};
}

double rise_of(const Unclaimed& unclaimed, std::string_view name) {
  const auto count = count_of(unclaimed, name);
  return count ? count->rise() : 0.0;
}

bool graphs_fell(const Unclaimed& unclaimed) {
  const auto graphs = count_of(unclaimed, "graph_launches");
  const auto calls = count_of(unclaimed, "launch_calls");
  if (!calls) return false;
  if (!graphs) {
    const auto kernels = count_of(unclaimed, "kernel_launches");
    return kernels && calls->base <= kKernelsPerCall * kernels->base &&
           calls->head >= kComplete * kernels->head;
  }
  if (graphs->base <= 0.0) return false;
  const double lost = -graphs->rise();
  return lost >= kGraphsLost * graphs->base && calls->rise() >= std::max(1.0, lost);
}

std::optional<double> other_tokens(const Unclaimed& unclaimed) {
  if (!unclaimed.base_work || !unclaimed.head_work) return std::nullopt;
  const std::optional<double>& base = unclaimed.base_work->tokens;
  const std::optional<double>& head = unclaimed.head_work->tokens;
  if (!base || !head || *base <= 0.0 || *head <= 0.0 || *base == *head) return std::nullopt;
  return *head / *base;
}

bool step_is_slower(const Unclaimed& unclaimed) {
  return unclaimed.ledger.step.beyond_noise() && unclaimed.ledger.step.change() > 0.0;
}

std::size_t row_of(const Unclaimed& unclaimed, LedgerPart part, std::string_view name) {
  const auto& rows = unclaimed.ledger.rows;
  const auto row = std::ranges::find_if(
      rows, [&](const LedgerRow& r) { return r.part == part && r.name == name; });
  return row == rows.end() ? kNoRow : static_cast<std::size_t>(row - rows.begin());
}

bool work_differs(const KernelChange& kernel) {
  const bool same_calls = kernel.fate == KernelFate::same || kernel.fate == KernelFate::slower ||
                          kernel.fate == KernelFate::faster;
  return !same_calls || kernel.launch_differs || kernel.code == CodeChange::differs;
}

double same_work_ms(const Unclaimed& unclaimed, std::size_t row) {
  double ms = unclaimed.left_ms[row];
  for (const UnclaimedKernel& kernel : unclaimed.kernels) {
    if (kernel.taken || !work_differs(kernel.change)) continue;
    if (kernel.base_row == row) ms += kernel.change.base.ms_per_step;
    if (kernel.head_row == row) ms -= kernel.change.head.ms_per_step;
  }
  return ms;
}

Part same_work_part(const Unclaimed& unclaimed) {
  Part part;
  for (std::size_t row = 0; row < unclaimed.left_ms.size(); ++row) {
    const LedgerRow& of = unclaimed.ledger.rows[row];
    if (of.part != LedgerPart::family || !of.ms.half_width) continue;
    const double ms = same_work_ms(unclaimed, row);
    if (std::abs(ms) > *of.ms.half_width) part.rows[row] = ms;
  }
  return part;
}

std::set<std::size_t> kernels_where(const Unclaimed& unclaimed,
                                    const std::function<bool(const KernelChange&)>& wanted) {
  std::set<std::size_t> found;
  for (std::size_t i = 0; i < unclaimed.kernels.size(); ++i) {
    const UnclaimedKernel& kernel = unclaimed.kernels[i];
    if (!kernel.taken && wanted(kernel.change)) found.insert(i);
  }
  return found;
}

}  // namespace perfgate::analysis
