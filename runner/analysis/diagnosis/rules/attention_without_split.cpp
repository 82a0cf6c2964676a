#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/rules/rules.h"
#include "runner/analysis/diagnosis/sentences.h"

namespace perfgate::analysis::rules {
namespace {

double blocks(const KernelSide& side) {
  return static_cast<double>(side.grid[0]) * side.grid[1] * side.grid[2];
}

bool is_combine(const KernelChange& kernel) {
  const std::string& name = name_of(kernel);
  return name_has(name, "combine") || name_has(name, "reduce") || name_has(name, "merge") ||
         name_has(name, "stage2");
}

bool is_attention(const KernelChange& kernel) {
  return kernel.family == "attention" && kernel.base.calls_per_step > 0.0;
}

/// As often as before, or in other names.
bool is_main(const KernelChange& kernel) {
  return is_attention(kernel) && !is_combine(kernel) && kernel.head.calls_per_step > 0.0 &&
         kernel.fate != KernelFate::more_often;
}

}  // namespace

Findings attention_without_split(const Unclaimed& unclaimed) {
  const KernelSet main = kernels_where(unclaimed, is_main);
  const KernelSet combine = kernels_where(unclaimed, [](const KernelChange& kernel) {
    return is_attention(kernel) && is_combine(kernel) && kernel.fate == KernelFate::gone;
  });
  if (main.empty()) return {};
  double base_blocks = 0.0;
  double head_blocks = 0.0;
  for (const std::size_t index : main) {
    const KernelChange& kernel = unclaimed.kernels[index].change;
    base_blocks += blocks(kernel.base) * kernel.base.calls_per_step;
    head_blocks += blocks(kernel.head) * kernel.head.calls_per_step;
  }
  const KernelTotals totals = totals_of(unclaimed, main);
  base_blocks /= totals.base_calls;
  head_blocks /= totals.head_calls;
  const bool fewer = base_blocks > 0.0 && head_blocks > 0.0 && head_blocks < 0.75 * base_blocks;
  if (!fewer && combine.empty()) return {};
  Part part{.kernels = main};
  part.kernels.insert(combine.begin(), combine.end());
  if (!matters(unclaimed, part)) return {};
  Diagnosis diagnosis;
  diagnosis.cause = "attention is not split over the context any more";
  diagnosis.confidence = fewer ? Confidence::likely : Confidence::possible;
  if (fewer) {
    add_sentence(diagnosis, main_name(unclaimed, main, Side::head) + " runs in " +
                                number_words(base_blocks) + " -> " + number_words(head_blocks) +
                                " blocks a launch");
  }
  add_sentence(diagnosis, calls_words(unclaimed, main));
  if (!combine.empty()) {
    add_sentence(diagnosis, main_name(unclaimed, combine, Side::base) + " is gone (" +
                                number_words(totals_of(unclaimed, combine).base_calls) +
                                " calls a step)");
  }
  diagnosis.lever =
      "Let attention split the context (split KV, flash decoding) so that its blocks fill the GPU.";
  return {{diagnosis, part}};
}

}  // namespace perfgate::analysis::rules
