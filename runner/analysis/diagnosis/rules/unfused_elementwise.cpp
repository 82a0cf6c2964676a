#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/rules/rules.h"
#include "runner/analysis/diagnosis/sentences.h"
#include "runner/analysis/diagnosis/thresholds.h"
#include "runner/analysis/range_names.h"

namespace perfgate::analysis::rules {
namespace {

bool is_candidate(const KernelChange& kernel) {
  const bool counted = kernel.fate != KernelFate::same && kernel.fate != KernelFate::slower &&
                       kernel.fate != KernelFate::faster;
  const bool replaces = kernel.fate == KernelFate::replaced;
  const bool can_be = is_pointwise(kernel.family) || kernel.family == "unclassified";
  return counted && can_be && (replaces || !is_data_movement(kernel));
}

std::string place_of(const KernelChange& kernel) { return collapse_indices(kernel.place); }

/// Where kernels that are known to be pointwise came or went, also those that a cause has already;
/// never the empty place.
std::set<std::string> pointwise_places(const Unclaimed& unclaimed) {
  std::set<std::string> places;
  for (const UnclaimedKernel& kernel : unclaimed.kernels) {
    const bool known = is_candidate(kernel.change) && is_pointwise(kernel.change.family);
    if (known) places.insert(place_of(kernel.change));
  }
  places.erase(std::string());
  return places;
}

bool went_away(const KernelChange& kernel) {
  return is_candidate(kernel) && is_pointwise(kernel.family) &&
         (kernel.fate == KernelFate::gone || kernel.fate == KernelFate::replaced ||
          kernel.fate == KernelFate::less_often);
}

}  // namespace

Findings unfused_elementwise(const Unclaimed& unclaimed) {
  const KernelSet gone = kernels_where(unclaimed, went_away);
  const double gone_calls = swapped_calls(unclaimed, gone).lost;
  if (gone_calls < kOneCall) return {};
  std::set<std::string> places;
  for (const std::size_t index : gone) {
    places.insert(place_of(unclaimed.kernels[index].change));
  }
  const KernelSet candidates = kernels_where(unclaimed, is_candidate);
  const std::set<std::string> pointwise = pointwise_places(unclaimed);
  KernelSet kernels = gone;
  for (const auto& [name, group] : by_name(unclaimed, candidates)) {
    // One more kernel a step beside 64 that are gone is another change.
    const bool as_often = totals_of(unclaimed, group).head_calls >= kComesAsOften * gone_calls;
    for (const std::size_t index : group) {
      const KernelChange& kernel = unclaimed.kernels[index].change;
      const std::string place = place_of(kernel);
      // A kernel that no family knows is one of them only beside one that is.
      if (!is_pointwise(kernel.family) && !pointwise.contains(place)) continue;
      if (as_often || (!place.empty() && places.contains(place))) kernels.insert(index);
    }
  }
  const KernelTotals totals = totals_of(unclaimed, kernels);
  const SwappedCalls swapped = swapped_calls(unclaimed, kernels);
  if (swapped.gained - swapped.lost < kOneCall || swapped.gained < kUnfusedGain * swapped.lost)
    return {};
  Part part{.kernels = kernels};
  std::set<std::string> names;
  for (const std::size_t index : kernels) names.insert(unclaimed.kernels[index].change.head.name);
  add_gaps_at(unclaimed, part,
              [&](const std::string& side) { return !side.empty() && names.contains(side); });
  if (!matters(unclaimed, part)) return {};
  Diagnosis diagnosis;
  diagnosis.cause = "elementwise work that was fused runs in more kernels";
  diagnosis.confidence = Confidence::likely;
  add_sentence(diagnosis, number_words(totals.base_calls) + " -> " +
                              number_words(totals.head_calls) + " kernels a step do the work of " +
                              main_name(unclaimed, gone, Side::base) +
                              place_words(unclaimed, gone) + ": " + time_words(totals.base_ms) +
                              " -> " + time_words(totals.head_ms));
  std::string new_names;
  for (const auto& [name, group] : by_name(unclaimed, kernels)) {
    const double calls = totals_of(unclaimed, group).head_calls;
    if (calls <= 0.0) continue;
    new_names += (new_names.empty() ? "" : ", ") + number_words(calls) + " of " + short_name(name);
  }
  add_sentence(diagnosis, "now: " + new_names);
  add_sentence(diagnosis, count_words(unclaimed, "kernel_launches", "kernels"));
  add_sentence(diagnosis, idle_words(unclaimed, part));
  diagnosis.lever =
      "Bring the fused kernel back (compiler, custom operator, a condition that turns it off).";
  return {{diagnosis, part}};
}

}  // namespace perfgate::analysis::rules
