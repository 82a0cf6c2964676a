#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/product_companions.h"
#include "runner/analysis/diagnosis/rules/rules.h"
#include "runner/analysis/diagnosis/sentences.h"
#include "runner/analysis/diagnosis/thresholds.h"

namespace perfgate::analysis::rules {
namespace {

/// Where the base does not tell its format, the head has to name that of its operands.
bool is_wide(const std::string& head, int bits, std::optional<int> before) {
  return before ? bits > *before : names_wide_operands(head);
}

/// Another kernel at the same place, of a wider format.
bool is_widened(const KernelChange& kernel) {
  if (kernel.family != "gemm" || kernel.fate != KernelFate::replaced) return false;
  const auto bits = named_bits(kernel.head.name);
  return bits && is_wide(kernel.head.name, *bits, named_bits(kernel.base.name));
}

/// Where the ledger could not tell which kernel replaced which: all that are gone against all that
/// are new, if the new ones are wider.
KernelSet widened_as_a_whole(const Unclaimed& unclaimed) {
  std::optional<int> narrowest_lost;
  KernelSet kernels = kernels_where(unclaimed, [&](const KernelChange& kernel) {
    if (kernel.family != "gemm") return false;
    if (kernel.fate != KernelFate::gone && kernel.fate != KernelFate::less_often) return false;
    const auto bits = named_bits(kernel.base.name);
    if (bits && (!narrowest_lost || *bits < *narrowest_lost)) narrowest_lost = bits;
    return true;
  });
  kernels.merge(kernels_where(unclaimed, [&](const KernelChange& kernel) {
    if (kernel.family != "gemm" || kernel.fate != KernelFate::added) return false;
    const auto bits = named_bits(kernel.head.name);
    return bits && is_wide(kernel.head.name, *bits, narrowest_lost);
  }));
  const SwappedCalls calls = swapped_calls(unclaimed, kernels);
  const bool complete = calls.lost > 0.0 && calls.gained >= kComplete * calls.lost;
  return complete ? kernels : KernelSet{};
}

/// The pairs; where they gained more calls than they lost, with the kernels that lost them.
KernelSet widened_pairs(const Unclaimed& unclaimed) {
  KernelSet kernels = kernels_where(unclaimed, is_widened);
  const SwappedCalls calls = swapped_calls(unclaimed, kernels);
  if (calls.gained <= (1.0 + kAsManyCalls) * calls.lost) return kernels;
  kernels.merge(kernels_where(unclaimed, [](const KernelChange& kernel) {
    return kernel.family == "gemm" &&
           (kernel.fate == KernelFate::gone || kernel.fate == KernelFate::less_often);
  }));
  return kernels;
}

struct Formats {
  std::optional<int> base;
  std::optional<int> head;
};

Formats formats_of(const Unclaimed& unclaimed, const KernelSet& kernels) {
  Formats formats;
  for (const std::size_t index : kernels) {
    const KernelChange& kernel = unclaimed.kernels[index].change;
    const auto base = named_bits(kernel.base.name);
    const auto head = named_bits(kernel.head.name);
    if (base && (!formats.base || *base < *formats.base)) formats.base = base;
    if (head && (!formats.head || *head > *formats.head)) formats.head = head;
  }
  return formats;
}

}  // namespace

Findings wider_weights(const Unclaimed& unclaimed) {
  KernelSet kernels = widened_pairs(unclaimed);
  kernels.merge(widened_as_a_whole(unclaimed));
  Part part{.kernels = kernels};
  if (!matters(unclaimed, part)) return {};
  const Formats formats = formats_of(unclaimed, kernels);
  const std::vector<std::string> sentences = product_sentences(unclaimed, kernels, part);
  if (ms_of(unclaimed, part) < unclaimed.floor_ms) return {};
  Diagnosis diagnosis;
  // Of the head's format alone it is not known that the weights were narrower.
  diagnosis.cause = (formats.base ? "the weights of matrix products are read in a wider type"
                                  : "matrix products run in a wide type") +
                    (formats.head ? " (" + number_words(*formats.head) + " bits)" : std::string());
  diagnosis.confidence = formats.base ? Confidence::likely : Confidence::possible;
  diagnosis.evidence = sentences;
  diagnosis.lever =
      "Check the type that the weights are loaded in (dtype, quantisation, autocast, allow_tf32).";
  return {{diagnosis, part}};
}

}  // namespace perfgate::analysis::rules
