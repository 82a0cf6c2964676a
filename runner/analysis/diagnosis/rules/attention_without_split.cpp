#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/rules/rules.h"
#include "runner/analysis/diagnosis/sentences.h"
#include "runner/analysis/diagnosis/thresholds.h"

namespace perfgate::analysis::rules {
namespace {

bool is_combine(const KernelChange& kernel) {
  const std::string& name = name_of(kernel);
  return name_has(name, "combine") || name_has(name, "reduce") || name_has(name, "merge") ||
         name_has(name, "stage2");
}

/// Threads of a launch, the mean over the calls of the base.
double base_threads(const Unclaimed& unclaimed, const KernelSet& kernels) {
  double threads = 0.0;
  double calls = 0.0;
  for (const std::size_t index : kernels) {
    const KernelSide& side = unclaimed.kernels[index].change.base;
    threads += threads_of(side) * side.calls_per_step;
    calls += side.calls_per_step;
  }
  return calls > 0.0 ? threads / calls : 0.0;
}

/// The kernels that run in clearly fewer threads than those of the base.
KernelSet smaller_than(const Unclaimed& unclaimed, const KernelSet& kernels, double threads) {
  KernelSet smaller;
  for (const std::size_t index : kernels) {
    const double of_head = threads_of(unclaimed.kernels[index].change.head);
    if (of_head > 0.0 && of_head < kFewerThreads * threads) smaller.insert(index);
  }
  return smaller;
}

/// More rows in other kernels of the same name: a larger batch fills the GPU without a split.
bool batch_grew(const Unclaimed& unclaimed) {
  return !kernels_where(unclaimed, [](const KernelChange& kernel) {
            return is_pointwise(kernel.family) && kernel.base.name == kernel.head.name &&
                   blocks_of(kernel.head) > blocks_of(kernel.base);
          }).empty();
}

}  // namespace

Findings attention_without_split(const Unclaimed& unclaimed) {
  KernelSet main = kernels_where(unclaimed, [](const KernelChange& kernel) {
    return kernel.family == "attention" && !is_combine(kernel);
  });
  const KernelSet combine = kernels_where(unclaimed, [](const KernelChange& kernel) {
    return kernel.family == "attention" && is_combine(kernel) && kernel.fate == KernelFate::gone;
  });
  // More calls are other work, not the same in fewer threads.
  const SwappedCalls swapped = swapped_calls(unclaimed, main);
  if (swapped.lost < kOneCall || swapped.gained > (1.0 + kAsManyCalls) * swapped.lost) return {};
  const double threads = base_threads(unclaimed, main);
  const KernelSet smaller = smaller_than(unclaimed, main, threads);
  if (smaller.empty() && (combine.empty() || batch_grew(unclaimed))) return {};
  // What is slower in the launch that it had has another cause.
  if (!smaller.empty()) {
    std::erase_if(
        main, [&](std::size_t index) { return !work_differs(unclaimed.kernels[index].change); });
  }
  Part part{.kernels = main};
  part.kernels.insert(combine.begin(), combine.end());
  if (!matters(unclaimed, part)) return {};
  Diagnosis diagnosis;
  diagnosis.cause = "attention is not split over the context any more";
  diagnosis.confidence = smaller.empty() ? Confidence::possible : Confidence::likely;
  if (!smaller.empty()) {
    const KernelSide& head = unclaimed.kernels[*smaller.begin()].change.head;
    add_sentence(diagnosis, number_words(totals_of(unclaimed, smaller).head_calls) +
                                " launches a step of " + short_name(head.name) + " run in " +
                                number_words(threads_of(head)) + " threads instead of " +
                                number_words(threads) + " (" + number_words(blocks_of(head)) +
                                " blocks)");
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
