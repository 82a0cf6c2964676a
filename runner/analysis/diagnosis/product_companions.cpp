#include "runner/analysis/diagnosis/product_companions.h"

#include <algorithm>
#include <array>

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
  return kernel.family == "activation" || is_conversion(kernel.head.name);
}

}  // namespace

std::string add_companions(const Unclaimed& unclaimed, Part& part, double calls) {
  std::string names;
  KernelSet added;
  for (const auto& [name, kernels] : by_name(unclaimed, kernels_where(unclaimed, is_companion))) {
    if (totals_of(unclaimed, kernels).head_calls > kPerProduct * calls) continue;
    names += (names.empty() ? "" : ", ") + short_name(name);
    added.insert(kernels.begin(), kernels.end());
  }
  if (added.empty()) return {};
  part.kernels.insert(added.begin(), added.end());
  const KernelTotals totals = totals_of(unclaimed, added);
  return "with them came " + number_words(totals.head_calls) + " launches a step of " + names +
         ": " + time_words(totals.head_ms);
}

}  // namespace perfgate::analysis
