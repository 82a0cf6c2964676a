#include "runner/analysis/diagnosis/idle_parts.h"
#include "runner/analysis/diagnosis/kernel_groups.h"
#include "runner/analysis/diagnosis/rules/rules.h"
#include "runner/analysis/diagnosis/sentences.h"

namespace perfgate::analysis::rules {
namespace {

/// Share of the step's change below which a rest beside other causes is not worth a name.
constexpr double kNotableRest = 0.2;
constexpr double kLowerClock = 0.99;
/// Below this share a clock is that of an idle GPU: the sample came too late.
constexpr double kIdleClock = 0.5;

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

}  // namespace

Findings slower_same_code(const Unclaimed& unclaimed) {
  const Ledger& ledger = unclaimed.ledger;
  if (ledger.work == WorkIdentity::unknown || !step_is_slower(unclaimed)) return {};
  const Part part = same_work_part(unclaimed);
  if (!matters(unclaimed, part)) return {};
  const bool same = ledger.work != WorkIdentity::differs;
  if (!same && ms_of(unclaimed, part) < kNotableRest * ledger.step.change()) return {};
  const std::string sm = fall_words("SM", ledger.base.sm_clock_mhz, ledger.head.sm_clock_mhz);
  const std::string memory =
      fall_words("memory", ledger.base.memory_clock_mhz, ledger.head.memory_clock_mhz);
  const bool clocks = !sm.empty() || !memory.empty();
  Diagnosis diagnosis;
  diagnosis.cause = clocks ? "the GPU ran at lower clocks"
                           : "the same kernels and launches are slower: input values, memory "
                             "placement or the machine";
  diagnosis.confidence = same && ledger.established ? Confidence::likely : Confidence::possible;
  add_sentence(diagnosis, sm);
  add_sentence(diagnosis, memory);
  add_sentence(diagnosis, family_words(unclaimed, part));
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
