#include "runner/analysis/diagnosis/product_companions.h"

#include <algorithm>
#include <array>

#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/sentences.h"

namespace perfgate::analysis {
namespace {

/// Before and after each product, at most.
constexpr double kPerProduct = 2.0;

bool is_conversion(const std::string& name) {
  constexpr std::array kWords{"convert", "cast",     "widen",   "narrow",
                              "cvt",     "quantize", "to_copy", "copy_kernel_cuda"};
  return std::ranges::any_of(kWords, [&](const char* word) { return name_has(name, word); });
}

bool is_companion(const KernelChange& kernel) {
  if (kernel.fate != KernelFate::added) return false;
  return kernel.family == "activation" || kernel.family == "memset" ||
         is_conversion(kernel.head.name);
}

/// The sentence on the companions; empty = there are none.
std::string add_companions(const Unclaimed& unclaimed, Part& part, double calls) {
  std::string names;
  KernelSet added;
  std::set<std::string> full_names;
  for (const auto& [name, kernels] : by_name(unclaimed, kernels_where(unclaimed, is_companion))) {
    if (totals_of(unclaimed, kernels).head_calls > kPerProduct * calls) continue;
    names += (names.empty() ? "" : ", ") + short_name(name);
    added.insert(kernels.begin(), kernels.end());
    full_names.insert(name);
  }
  if (added.empty()) return {};
  part.kernels.insert(added.begin(), added.end());
  add_gaps_at(unclaimed, part, [&](const std::string& side) { return full_names.contains(side); });
  const KernelTotals totals = totals_of(unclaimed, added);
  return "with them came " + number_words(totals.head_calls) + " launches a step of " + names +
         ": " + time_words(totals.head_ms);
}

}  // namespace

std::vector<std::string> product_sentences(const Unclaimed& unclaimed, const KernelSet& kernels,
                                           Part& part) {
  const KernelTotals totals = totals_of(unclaimed, kernels);
  Diagnosis told;
  add_sentence(told, calls_words(unclaimed, kernels) + place_words(unclaimed, kernels));
  add_sentence(told, "they take " + times_words(totals.head_ms / totals.base_ms) +
                         " as long: " + time_words(totals.base_ms) + " -> " +
                         time_words(totals.head_ms) + " a step");
  add_sentence(told, add_companions(unclaimed, part, swapped_calls(unclaimed, kernels).gained));
  add_sentence(told, idle_words(unclaimed, part));
  add_sentence(told, ended_overlap_words(add_ended_overlap(unclaimed, part)));
  return told.evidence;
}

}  // namespace perfgate::analysis
