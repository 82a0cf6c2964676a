#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/rules/rules.h"
#include "runner/analysis/diagnosis/sentences.h"
#include "runner/analysis/diagnosis/thresholds.h"

namespace perfgate::analysis::rules {
namespace {

bool is_new_copy(const KernelChange& kernel) {
  const bool more = kernel.fate == KernelFate::added || kernel.fate == KernelFate::more_often;
  return more && is_data_movement(kernel);
}

}  // namespace

Findings transpose_copies(const Unclaimed& unclaimed) {
  const KernelSet kernels = kernels_where(unclaimed, is_new_copy);
  const KernelTotals totals = totals_of(unclaimed, kernels);
  if (totals.more_calls() < kOneCall) return {};
  Part part{.kernels = kernels};
  std::set<std::string> names;
  for (const std::size_t index : kernels) names.insert(name_of(unclaimed.kernels[index].change));
  add_gaps_at(unclaimed, part, [&](const std::string& side) { return names.contains(side); });
  if (!matters(unclaimed, part)) return {};
  Diagnosis diagnosis;
  diagnosis.cause = "data is copied or transposed on the device " +
                    number_words(totals.more_calls()) + " more times a step";
  diagnosis.confidence = Confidence::likely;
  add_sentence(diagnosis, main_name(unclaimed, kernels, Side::head) + ": " +
                              number_words(totals.more_calls()) + " more a step" +
                              each_words(unclaimed, totals.more_calls()) +
                              place_words(unclaimed, kernels) + ", " +
                              time_words(totals.head_us_per_call() / 1000.0) + " each");
  add_sentence(diagnosis, idle_words(unclaimed, part));
  add_sentence(diagnosis, neighbour_words(add_lost_overlap(unclaimed, part, totals.more_calls())));
  diagnosis.lever =
      "Keep one memory layout from kernel to kernel: look for a transpose(), permute() or "
      "contiguous() that is new.";
  return {{diagnosis, part}};
}

}  // namespace perfgate::analysis::rules
