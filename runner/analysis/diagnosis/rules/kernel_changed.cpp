#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/rules/rules.h"
#include "runner/analysis/diagnosis/sentences.h"

namespace perfgate::analysis::rules {
namespace {

std::string change_words(const KernelChange& kernel) {
  const std::string name = short_name(name_of(kernel));
  if (kernel.fate == KernelFate::replaced) {
    return name + " does the work of " + short_name(kernel.base.name) + ", and is slower";
  }
  if (kernel.code == CodeChange::differs) return "the code of " + name + " changed, and is slower";
  return name + " is launched in another shape, and is slower";
}

std::string shape_words(const KernelSide& side) {
  const auto words = [](const std::array<std::uint32_t, 3>& size) {
    return std::to_string(size[0]) + "x" + std::to_string(size[1]) + "x" + std::to_string(size[2]);
  };
  return words(side.grid) + " blocks of " + words(side.block) + " threads, " +
         number_words(side.registers_per_thread) + " registers, " + bytes_words(side.shared_bytes) +
         " shared";
}

}  // namespace

Findings kernel_changed(const Unclaimed& unclaimed) {
  const KernelSet candidates = kernels_where(unclaimed, [](const KernelChange& kernel) {
    const bool both = kernel.base.calls_per_step > 0.0 && kernel.head.calls_per_step > 0.0;
    const bool counted =
        kernel.fate == KernelFate::more_often || kernel.fate == KernelFate::less_often;
    return both && !counted && work_differs(kernel);
  });
  Findings findings;
  for (const auto& [name, kernels] : by_name(unclaimed, candidates)) {
    const Part part{.kernels = kernels};
    if (!matters(unclaimed, part)) continue;
    const KernelChange& first = unclaimed.kernels[*kernels.begin()].change;
    Diagnosis diagnosis;
    diagnosis.cause = change_words(first);
    diagnosis.confidence = Confidence::likely;
    add_sentence(diagnosis, calls_words(unclaimed, kernels) + place_words(unclaimed, kernels));
    if (first.launch_differs) {
      add_sentence(diagnosis, shape_words(first.base) + " -> " + shape_words(first.head));
    }
    if (first.code == CodeChange::differs) {
      add_sentence(diagnosis, "its machine code is not that of the base");
    }
    diagnosis.lever =
        "Compare this kernel's source, compiler and launch on both sides; profile it alone "
        "(ncu) before and after.";
    findings.push_back({diagnosis, part});
  }
  return findings;
}

}  // namespace perfgate::analysis::rules
