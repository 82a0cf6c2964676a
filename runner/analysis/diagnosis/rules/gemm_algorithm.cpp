#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/product_companions.h"
#include "runner/analysis/diagnosis/rules/rules.h"
#include "runner/analysis/diagnosis/sentences.h"
#include "runner/analysis/diagnosis/thresholds.h"

namespace perfgate::analysis::rules {

Findings gemm_algorithm(const Unclaimed& unclaimed) {
  const KernelSet kernels = kernels_where(unclaimed, [](const KernelChange& kernel) {
    // New code in the same kernel and launch is no choice of an algorithm: kernel_changed.
    const bool swapped = kernel.launch_differs ||
                         (kernel.fate != KernelFate::slower && kernel.fate != KernelFate::faster &&
                          kernel.fate != KernelFate::same);
    return kernel.family == "gemm" && swapped;
  });
  const SwappedCalls swapped = swapped_calls(unclaimed, kernels);
  // With calls on one side alone, work came or went: another rule's.
  if (swapped.lost < kOneCall || swapped.gained < kComplete * swapped.lost) return {};
  const bool other_kernels =
      !kernels_where(unclaimed, [](const KernelChange& kernel) {
         return kernel.family == "gemm" &&
                (kernel.fate == KernelFate::replaced || kernel.fate == KernelFate::gone ||
                 kernel.fate == KernelFate::less_often || kernel.launch_differs);
       }).empty();
  if (!other_kernels) return {};
  Part part{.kernels = kernels};
  if (!matters(unclaimed, part)) return {};
  const std::vector<std::string> sentences = product_sentences(unclaimed, kernels, part);
  if (ms_of(unclaimed, part) < unclaimed.floor_ms) return {};
  Diagnosis diagnosis;
  diagnosis.cause = "matrix products are done by other kernels, and slower";
  diagnosis.confidence = Confidence::likely;
  diagnosis.evidence = sentences;
  diagnosis.lever =
      "Check what chooses the algorithm: library version, shapes and alignment, workspace size, "
      "autotuning cache.";
  return {{diagnosis, part}};
}

}  // namespace perfgate::analysis::rules
