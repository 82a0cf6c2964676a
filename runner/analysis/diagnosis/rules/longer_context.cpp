#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/rules/rules.h"
#include "runner/analysis/diagnosis/sentences.h"

namespace perfgate::analysis::rules {
namespace {

/// What a lost graph can add to a kernel.
constexpr double kSlackUs = 2.0;

/// The same kernel with the same code, as often as before.
bool is_same_attention(const KernelChange& kernel) {
  if (kernel.family != "attention" || kernel.base.name != kernel.head.name) return false;
  if (kernel.code == CodeChange::differs || kernel.base.calls_per_step <= 0.0) return false;
  const double calls = kernel.head.calls_per_step / kernel.base.calls_per_step;
  return calls > 0.95 && calls < 1.05;
}

/// How much longer the same work of all other families takes, as a ratio.
double others_rise(const Unclaimed& unclaimed) {
  double base = 0.0;
  double rise = 0.0;
  const auto& rows = unclaimed.ledger.rows;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows[row].part != LedgerPart::family || rows[row].name == "attention") continue;
    base += rows[row].ms.base;
    rise += same_work_ms(unclaimed, row);
  }
  return base > 0.0 ? rise / base : 0.0;
}

}  // namespace

Findings longer_context(const Unclaimed& unclaimed) {
  const KernelSet kernels = kernels_where(unclaimed, is_same_attention);
  const KernelTotals totals = totals_of(unclaimed, kernels);
  if (totals.base_calls < 0.5 || totals.base_ms <= 0.0) return {};
  const double times = totals.head_ms / totals.base_ms;
  const double others = others_rise(unclaimed);
  if (times < 1.05 || times - 1.0 < 3.0 * others) return {};
  const double more_us = totals.head_us_per_call() - totals.base_us_per_call();
  if (graphs_fell(unclaimed) && more_us < kSlackUs) return {};
  double base_blocks = 0.0;
  double head_blocks = 0.0;
  bool same_code = true;
  for (const std::size_t index : kernels) {
    const KernelChange& kernel = unclaimed.kernels[index].change;
    base_blocks += blocks_of(kernel.base);
    head_blocks += blocks_of(kernel.head);
    same_code = same_code && kernel.code == CodeChange::same;
  }
  const Part part{.kernels = kernels};
  if (!matters(unclaimed, part)) return {};
  const bool more_blocks = head_blocks > base_blocks;
  Diagnosis diagnosis;
  diagnosis.cause =
      "attention does " + times_words(times) + " the work: a longer context, or more sequences";
  diagnosis.confidence = more_blocks || same_code ? Confidence::likely : Confidence::possible;
  add_sentence(diagnosis, calls_words(unclaimed, kernels));
  if (more_blocks) {
    add_sentence(diagnosis,
                 "its grid has " + times_words(head_blocks / base_blocks) + " as many blocks");
  }
  add_sentence(diagnosis, "attention " + time_words(totals.base_ms) + " -> " +
                              time_words(totals.head_ms) +
                              " a step; the same kernels of the other families changed by " +
                              number_words(100.0 * others) + " %");
  diagnosis.lever =
      "Compare the inputs (context length, batch, cache format); if they are meant, shorten or "
      "quantise the KV cache.";
  return {{diagnosis, part}};
}

}  // namespace perfgate::analysis::rules
