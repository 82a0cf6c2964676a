#include <algorithm>
#include <utility>

#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/rules/rules.h"
#include "runner/analysis/diagnosis/sentences.h"
#include "runner/analysis/diagnosis/thresholds.h"

namespace perfgate::analysis::rules {
namespace {

bool is_more(const KernelChange& kernel) {
  return kernel.fate == KernelFate::added || kernel.fate == KernelFate::more_often;
}

/// What is new in a family against what is gone from it: a kernel in another name costs nothing.
bool family_has_more(const Unclaimed& unclaimed, const std::string& family) {
  const KernelSet kernels = kernels_where(unclaimed, [&](const KernelChange& kernel) {
    return kernel.family == family && work_differs(kernel);
  });
  return matters(unclaimed, {.kernels = kernels});
}

/// Rows of families that rose, together at most `most_ms`, the largest first.
Part rises_up_to(const Unclaimed& unclaimed, double most_ms) {
  std::vector<std::pair<double, std::size_t>> rises;
  for (std::size_t row = 0; row < unclaimed.left_ms.size(); ++row) {
    const LedgerRow& of = unclaimed.ledger.rows[row];
    const bool rose = of.part == LedgerPart::family && of.ms.beyond_noise();
    if (rose && unclaimed.left_ms[row] > 0.0) rises.emplace_back(unclaimed.left_ms[row], row);
  }
  std::ranges::stable_sort(rises, std::ranges::greater{},
                           [](const auto& rise) { return rise.first; });
  Part part;
  for (const auto& [ms, row] : rises) {
    if (most_ms <= 0.0) break;
    part.rows[row] = std::min(ms, most_ms);
    most_ms -= part.rows[row];
  }
  return part;
}

/// Without kernels in the ledger (a store keeps none): the count, and of the families that rose
/// what so many launches can take.
Findings out_of_counts(const Unclaimed& unclaimed) {
  if (!unclaimed.kernels.empty() || unclaimed.ledger.work != WorkIdentity::unknown) return {};
  const auto launches = count_of(unclaimed, "kernel_launches");
  if (!launches || launches->base < kOneCall || launches->rise() < kOneCall) return {};
  const double more = launches->rise();
  const double mean_ms = unclaimed.ledger.step.base / launches->base;
  const Part part = rises_up_to(unclaimed, more * kPlausibleLaunch * mean_ms);
  if (!matters(unclaimed, part)) return {};
  std::string families;
  for (const auto& [row, ms] : part.rows) {
    families += (families.empty() ? "" : ", ") + unclaimed.ledger.rows[row].name + " " +
                signed_time_words(unclaimed.left_ms[row]);
  }
  Diagnosis diagnosis;
  diagnosis.cause = number_words(more) + " more kernels a step";
  diagnosis.confidence = Confidence::possible;
  add_sentence(diagnosis, count_words(unclaimed, "kernel_launches", "kernels"));
  add_sentence(diagnosis, families);
  diagnosis.lever =
      "Compare with the base itself (perfgate ab) to see which kernels are new: a store keeps "
      "none.";
  return {{diagnosis, part}};
}

}  // namespace

Findings extra_kernel(const Unclaimed& unclaimed) {
  Findings findings = out_of_counts(unclaimed);
  Unclaimed rest = unclaimed;
  for (const auto& [name, kernels] : by_name(unclaimed, kernels_where(unclaimed, is_more))) {
    const KernelTotals totals = totals_of(unclaimed, kernels);
    Part part{.kernels = kernels};
    add_gaps_at(rest, part, [&](const std::string& side) { return side == name; });
    if (totals.more_calls() < kRareCall || !matters(rest, part)) continue;
    const std::string& family = unclaimed.kernels[*kernels.begin()].change.family;
    if (!family_has_more(unclaimed, family)) continue;
    const bool is_new = totals.base_calls <= 0.0;
    Diagnosis diagnosis;
    diagnosis.cause = number_words(totals.more_calls()) + (is_new ? " new" : " more") +
                      (totals.more_calls() > kMoreThanOne ? " launches" : " launch") +
                      " a step of " + short_name(name);
    diagnosis.confidence = is_new ? Confidence::likely : Confidence::possible;
    add_sentence(diagnosis, short_name(name) + ": " + number_words(totals.more_calls()) +
                                (is_new ? " a step" : " more a step") +
                                each_words(unclaimed, totals.more_calls()) +
                                place_words(unclaimed, kernels) + ", " +
                                time_words(totals.head_us_per_call() / 1000.0) + " each");
    add_sentence(diagnosis, count_words(unclaimed, "kernel_launches", "kernels"));
    add_sentence(diagnosis, idle_words(unclaimed, part));
    add_sentence(diagnosis, neighbour_words(add_lost_overlap(rest, part, totals.more_calls())));
    take(rest, part);
    diagnosis.lever = "Find what launches it, and take it out of the step or fuse it.";
    findings.push_back({diagnosis, part});
  }
  return findings;
}

}  // namespace perfgate::analysis::rules
