#include "runner/cli/selftest/summary.h"

#include <algorithm>
#include <array>
#include <set>

namespace perfgate::cli::selftest {
namespace {

constexpr std::array kFaults{
    FaultWords{Fault::blind, "BLIND", "the gate is blind: a known regression passed"},
    FaultWords{Fault::trigger_happy, "TRIGGER-HAPPY",
               "the gate is trigger-happy: a run in which nothing changed failed, or was "
               "suspected"},
    FaultWords{Fault::green_on_missing, "GREEN ON NOTHING",
               "the gate is green on missing data: what cannot be judged passed"},
    FaultWords{Fault::otherwise, "OTHERWISE", "the gate answers otherwise than it must"},
    FaultWords{Fault::none, "ok", "everything came out as it must"},
};

bool counts(const Examined& examined, const Trial& trial) {
  return examined.cases[trial.of].not_yet.empty();
}

void add(std::vector<Rate>& rates, const std::string& what, bool hit) {
  auto found = std::ranges::find(rates, what, &Rate::what);
  if (found == rates.end()) found = rates.insert(rates.end(), Rate{.what = what});
  ++found->trials;
  if (hit) ++found->hits;
}

}  // namespace

const FaultWords& words_of(Fault fault) {
  const auto* row = std::ranges::find(kFaults, fault, &FaultWords::fault);
  return row == kFaults.end() ? kFaults.back() : *row;
}

std::vector<KindCount> count_kinds(const Examined& examined) {
  std::vector<KindCount> counted;
  for (const KindRow& row : kind_rows()) {
    KindCount count{.kind = row.kind};
    std::set<std::size_t> cases;
    for (const Trial& trial : examined.trials) {
      if (examined.cases[trial.of].kind != row.kind || !counts(examined, trial)) continue;
      cases.insert(trial.of);
      ++count.trials;
      if (trial.fault == Fault::none) {
        ++count.as_expected;
      } else if (count.first_wrong == nullptr) {
        count.first_wrong = &trial;
      }
    }
    count.cases = static_cast<int>(cases.size());
    if (count.trials > 0) counted.push_back(count);
  }
  return counted;
}

std::vector<Rate> count_rates(const Examined& examined) {
  std::vector<Rate> rates;
  for (const Trial& trial : examined.trials) {
    const Case& of = examined.cases[trial.of];
    if (!counts(examined, trial)) continue;
    const bool failed = trial.outcome == Outcome::fail;
    if (of.kind == Kind::a_a && of.changes.empty()) {
      add(rates, "A/A passed", trial.outcome == Outcome::pass);
      add(rates, "A/A failed or suspected", failed || trial.outcome == Outcome::suspected);
    }
    if (of.kind == Kind::regression && !of.size.empty()) add(rates, of.size + " found", failed);
  }
  for (Rate& rate : rates) rate.share = gates::wilson_interval(rate.hits, rate.trials);
  return rates;
}

}  // namespace perfgate::cli::selftest
