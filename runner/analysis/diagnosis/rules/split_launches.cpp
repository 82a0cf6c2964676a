#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/rules/rules.h"
#include "runner/analysis/diagnosis/sentences.h"
#include "runner/analysis/diagnosis/thresholds.h"
#include "runner/analysis/range_names.h"

namespace perfgate::analysis::rules {
namespace {

/// The same name on both sides, with another number of calls or another launch.
bool is_of_a_split(const Unclaimed& unclaimed, const KernelChange& kernel) {
  if (!work_differs(kernel) || kernel.head.calls_per_step <= 0.0) return false;
  if (kernel.base.name == kernel.head.name) return true;
  // One of several launch shapes of a kernel that the base has.
  return kernel.fate == KernelFate::added &&
         !kernels_where(unclaimed, [&](const KernelChange& other) {
            return other.base.name == kernel.head.name &&
                   collapse_indices(other.place) == collapse_indices(kernel.place);
          }).empty();
}

/// Calls of other names that went away: the more frequent kernel may do their work.
double calls_gone(const Unclaimed& unclaimed, const KernelChange& kernel) {
  return totals_of(unclaimed, kernels_where(unclaimed,
                                            [&](const KernelChange& other) {
                                              return other.family == kernel.family &&
                                                     other.fate == KernelFate::gone &&
                                                     other.base.name != kernel.head.name;
                                            }))
      .base_calls;
}

}  // namespace

Findings split_launches(const Unclaimed& unclaimed) {
  Findings findings;
  Unclaimed rest = unclaimed;
  const KernelSet candidates = kernels_where(
      unclaimed, [&](const KernelChange& kernel) { return is_of_a_split(unclaimed, kernel); });
  for (const auto& [name, kernels] : by_name(unclaimed, candidates)) {
    const KernelTotals totals = totals_of(unclaimed, kernels);
    const KernelChange& first = unclaimed.kernels[*kernels.begin()].change;
    const SwappedCalls swapped = swapped_calls(unclaimed, kernels);
    if (swapped.lost < kOneCall || swapped.gained < kSplitGain * swapped.lost) continue;
    if (totals.head_us_per_call() > kShorterLaunch * totals.base_us_per_call()) continue;
    if (calls_gone(unclaimed, first) > kCallsOfOthers * totals.more_calls()) continue;
    Part part{.kernels = kernels};
    add_gaps_at(rest, part, [&](const std::string& side) { return side == name; });
    if (!matters(rest, part)) continue;
    Diagnosis diagnosis;
    diagnosis.cause = short_name(name) + " is split into " +
                      times_words(swapped.gained / swapped.lost) + " as many launches";
    diagnosis.confidence = Confidence::likely;
    add_sentence(diagnosis, calls_words(unclaimed, kernels) + place_words(unclaimed, kernels));
    add_sentence(diagnosis, count_words(unclaimed, "kernel_launches", "kernels"));
    add_sentence(diagnosis, idle_words(unclaimed, part));
    diagnosis.lever =
        "Look for what cuts the work into chunks (a chunk size, a loop over the batch), and launch "
        "it as one.";
    take(rest, part);
    findings.push_back({diagnosis, part});
  }
  return findings;
}

}  // namespace perfgate::analysis::rules
