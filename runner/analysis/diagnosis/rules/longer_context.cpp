#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/rules/rules.h"
#include "runner/analysis/diagnosis/sentences.h"
#include "runner/analysis/diagnosis/thresholds.h"

namespace perfgate::analysis::rules {
namespace {

/// The same kernel with the same code, as often as before.
bool is_same_attention(const KernelChange& kernel) {
  if (kernel.family != "attention" || kernel.base.name != kernel.head.name) return false;
  if (kernel.code == CodeChange::differs || kernel.base.calls_per_step <= 0.0) return false;
  const double calls = kernel.head.calls_per_step / kernel.base.calls_per_step;
  return calls > 1.0 - kAsManyCalls && calls < 1.0 + kAsManyCalls;
}

bool kv_bytes_grew(const Unclaimed& unclaimed) {
  if (!unclaimed.base_work || !unclaimed.head_work) return false;
  const std::optional<double>& base = unclaimed.base_work->kv_bytes;
  const std::optional<double>& head = unclaimed.head_work->kv_bytes;
  return base && head && *head > *base;
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
  if (totals.base_calls < kOneCall || totals.base_ms <= 0.0) return {};
  const double times = totals.head_ms / totals.base_ms;
  const double others = others_rise(unclaimed);
  if (times < kLongerAttention || times - 1.0 < kBesideOthers * others) return {};
  const double more_us = totals.head_us_per_call() - totals.base_us_per_call();
  if (graphs_fell(unclaimed) && more_us < kLostGraphUs) return {};
  double base_blocks = 0.0;
  double head_blocks = 0.0;
  for (const std::size_t index : kernels) {
    const KernelChange& kernel = unclaimed.kernels[index].change;
    base_blocks += blocks_of(kernel.base);
    head_blocks += blocks_of(kernel.head);
  }
  const Part part{.kernels = kernels};
  if (!matters(unclaimed, part)) return {};
  const bool more_blocks = head_blocks > base_blocks;
  Diagnosis diagnosis;
  // A longer time alone is not more work: it may be other input values, or the memory.
  const bool more_work = more_blocks || kv_bytes_grew(unclaimed);
  diagnosis.cause = more_work ? "attention does more work, in " + times_words(times) +
                                    " the time: a longer context, or more sequences"
                              : "attention takes " + times_words(times) +
                                    " as long: a longer context, or other input values";
  diagnosis.confidence = more_work ? Confidence::likely : Confidence::possible;
  add_sentence(diagnosis, calls_words(unclaimed, kernels));
  if (more_blocks) {
    add_sentence(diagnosis,
                 "its grid has " + times_words(head_blocks / base_blocks) + " as many blocks");
  }
  if (kv_bytes_grew(unclaimed)) {
    add_sentence(diagnosis, "bytes of the KV cache that a step is said to read " +
                                bytes_words(*unclaimed.base_work->kv_bytes) + " -> " +
                                bytes_words(*unclaimed.head_work->kv_bytes));
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
