#include <algorithm>

#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/rules/rules.h"
#include "runner/analysis/diagnosis/sentences.h"
#include "runner/analysis/diagnosis/thresholds.h"

namespace perfgate::analysis::rules {
namespace {

std::string family_words(const Unclaimed& unclaimed, const Part& part) {
  std::string words;
  for (const auto& [row, ms] : part.rows) {
    const LedgerRow& of = unclaimed.ledger.rows[row];
    words += (words.empty() ? "the same kernels: " : ", ") + of.name + " " + signed_time_words(ms);
    if (of.ms.base > 0.0)
      words +=
          " (" + std::string(ms < 0.0 ? "" : "+") + number_words(100.0 * ms / of.ms.base) + " %)";
  }
  return words;
}

/// "SM clock 1980 -> 1755 MHz"; empty where a side is not known or it did not fall.
std::string fall_words(const char* label, const std::optional<double>& base,
                       const std::optional<double>& head) {
  if (!base || !head || *head > kLowerClock * *base || *head < kIdleClock * *base) return {};
  return std::string(label) + " clock " + number_words(*base) + " -> " + number_words(*head) +
         " MHz";
}

std::string power_words(const Ledger& ledger) {
  if (!ledger.base.power_w || !ledger.head.power_w) return {};
  return "power " + number_words(*ledger.base.power_w) + " -> " +
         number_words(*ledger.head.power_w) + " W";
}

/// By how much time can grow with a clock; 1 where it is not known or did not fall.
double clock_ratio(const std::optional<double>& base, const std::optional<double>& head) {
  return fall_words("", base, head).empty() ? 1.0 : *base / *head;
}

/// Lower clocks slow down by what they are lower, not by more.
bool clocks_explain(const Unclaimed& unclaimed, const Part& part) {
  const Ledger& ledger = unclaimed.ledger;
  const double ratio =
      std::max(clock_ratio(ledger.base.sm_clock_mhz, ledger.head.sm_clock_mhz),
               clock_ratio(ledger.base.memory_clock_mhz, ledger.head.memory_clock_mhz));
  double base_ms = 0.0;
  for (const auto& [row, ms] : part.rows) base_ms += ledger.rows[row].ms.base;
  return ratio > 1.0 && base_ms > 0.0 &&
         ms_of(unclaimed, part) <= kClockSlack * (ratio - 1.0) * base_ms;
}

/// The family that has nearly all of it; empty = several have.
std::string one_family(const Unclaimed& unclaimed, const Part& part) {
  double families_ms = 0.0;
  for (const LedgerRow& row : unclaimed.ledger.rows) {
    if (row.part == LedgerPart::family) families_ms += row.ms.base;
  }
  for (const auto& [row, ms] : part.rows) {
    const LedgerRow& of = unclaimed.ledger.rows[row];
    const bool most_of_it = ms >= kOneFamily * ms_of(unclaimed, part);
    // Of a step that is one family nothing is said by this.
    if (most_of_it && of.ms.base < kOneFamily * families_ms) return of.name;
  }
  return {};
}

std::string cause_words(bool clocks, const std::string& family) {
  if (clocks) return "the GPU ran at lower clocks";
  if (family.empty())
    return "the same kernels and launches are slower: input values, memory placement or the "
           "machine";
  return "the same " + family +
         " kernels and launches are slower, the others are not: input "
         "values or memory placement";
}

}  // namespace

Findings slower_same_code(const Unclaimed& unclaimed) {
  const Ledger& ledger = unclaimed.ledger;
  if (ledger.work == WorkIdentity::unknown || !step_is_slower(unclaimed)) return {};
  const Part part = same_work_part(unclaimed);
  if (!matters(unclaimed, part)) return {};
  // A small rest is what other causes left, or a consequence of them.
  if (ms_of(unclaimed, part) < kNotableRest * ledger.step.change()) return {};
  const bool same = ledger.work != WorkIdentity::differs;
  const std::string sm = fall_words("SM", ledger.base.sm_clock_mhz, ledger.head.sm_clock_mhz);
  const std::string memory =
      fall_words("memory", ledger.base.memory_clock_mhz, ledger.head.memory_clock_mhz);
  const bool clocks = clocks_explain(unclaimed, part);
  Diagnosis diagnosis;
  diagnosis.cause = cause_words(clocks, one_family(unclaimed, part));
  diagnosis.confidence = same ? Confidence::likely : Confidence::possible;
  if (!clocks) add_sentence(diagnosis, family_words(unclaimed, part));
  add_sentence(diagnosis, sm);
  add_sentence(diagnosis, memory);
  if (clocks) add_sentence(diagnosis, family_words(unclaimed, part));
  if (clocks) add_sentence(diagnosis, power_words(ledger));
  if (ledger.work == WorkIdentity::same_code) {
    add_sentence(diagnosis, "code, launches and order are those of the base");
  }
  diagnosis.lever =
      clocks ? "Look for throttling, a power limit or another clock policy (perfgate doctor), and "
               "measure again."
             : "Compare both sides on one GPU in one session (perfgate ab); if it stays, look at "
               "input values and addresses.";
  return {{diagnosis, part}};
}

}  // namespace perfgate::analysis::rules
