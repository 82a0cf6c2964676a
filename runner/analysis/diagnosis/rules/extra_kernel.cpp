#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/rules/rules.h"
#include "runner/analysis/diagnosis/sentences.h"

namespace perfgate::analysis::rules {
namespace {

bool is_more(const KernelChange& kernel) {
  return kernel.fate == KernelFate::added || kernel.fate == KernelFate::more_often;
}

/// What is new in a family against what is gone from it: a kernel in another name costs nothing.
bool family_has_more(const Unclaimed& unclaimed, const std::string& family) {
  const KernelSet kernels = kernels_where(unclaimed, [&](const KernelChange& kernel) {
    return kernel.family == family && work_differs(kernel);
  });
  return matters(unclaimed, {.kernels = kernels});
}

/// Without kernels in the ledger (a store keeps none): the count, and the families that rose.
Findings out_of_counts(const Unclaimed& unclaimed) {
  if (!unclaimed.kernels.empty() || unclaimed.ledger.work != WorkIdentity::unknown) return {};
  const double more = rise_of(unclaimed, "kernel_launches");
  if (more < 0.5) return {};
  Part part;
  std::string families;
  for (std::size_t row = 0; row < unclaimed.left_ms.size(); ++row) {
    const LedgerRow& of = unclaimed.ledger.rows[row];
    if (of.part != LedgerPart::family || of.ms.within_noise() || unclaimed.left_ms[row] <= 0.0) {
      continue;
    }
    part.rows[row] = unclaimed.left_ms[row];
    families +=
        (families.empty() ? "" : ", ") + of.name + " " + signed_time_words(unclaimed.left_ms[row]);
  }
  if (!matters(unclaimed, part)) return {};
  Diagnosis diagnosis;
  diagnosis.cause = number_words(more) + " more kernels a step";
  diagnosis.confidence = Confidence::possible;
  add_sentence(diagnosis, count_words(unclaimed, "kernel_launches", "kernels"));
  add_sentence(diagnosis, families);
  diagnosis.lever =
      "Compare with the base itself (perfgate ab) to see which kernels are new: a store keeps "
      "none.";
  return {{diagnosis, part}};
}

}  // namespace

Findings extra_kernel(const Unclaimed& unclaimed) {
  Findings findings = out_of_counts(unclaimed);
  for (const auto& [name, kernels] : by_name(unclaimed, kernels_where(unclaimed, is_more))) {
    const KernelTotals totals = totals_of(unclaimed, kernels);
    Part part{.kernels = kernels};
    add_gaps_at(unclaimed, part, [&](const std::string& side) { return side == name; });
    if (totals.more_calls() < 0.05 || !matters(unclaimed, part)) continue;
    const std::string& family = unclaimed.kernels[*kernels.begin()].change.family;
    if (!family_has_more(unclaimed, family)) continue;
    const bool is_new = totals.base_calls <= 0.0;
    Diagnosis diagnosis;
    diagnosis.cause = number_words(totals.more_calls()) + (is_new ? " new" : " more") +
                      (totals.more_calls() > 1.05 ? " launches" : " launch") + " a step of " +
                      short_name(name);
    diagnosis.confidence = is_new ? Confidence::likely : Confidence::possible;
    add_sentence(diagnosis, short_name(name) + ": " + number_words(totals.more_calls()) +
                                (is_new ? " a step" : " more a step") +
                                each_words(unclaimed, totals.more_calls()) +
                                place_words(unclaimed, kernels) + ", " +
                                time_words(totals.head_us_per_call() / 1000.0) + " each");
    add_sentence(diagnosis, count_words(unclaimed, "kernel_launches", "kernels"));
    add_sentence(diagnosis, idle_words(unclaimed, part));
    add_sentence(diagnosis,
                 neighbour_words(add_lost_overlap(unclaimed, part, totals.more_calls())));
    diagnosis.lever = "Find what launches it, and take it out of the step or fuse it.";
    findings.push_back({diagnosis, part});
  }
  return findings;
}

}  // namespace perfgate::analysis::rules
