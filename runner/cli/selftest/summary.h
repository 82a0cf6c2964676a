/// The counts over a self-test's trials. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gates/wilson.h"
#include "runner/cli/selftest/examine.h"

namespace perfgate::cli::selftest {

/// "TRIGGER-HAPPY" and what it means.
struct FaultWords {
  Fault fault;
  std::string_view word;
  std::string_view meaning;  ///< "the gate is blind: a known regression passed"
};
[[nodiscard]] const FaultWords& words_of(Fault fault);

struct KindCount {
  Kind kind;
  int cases = 0;
  int trials = 0;
  int as_expected = 0;
  const Trial* first_wrong = nullptr;
};
/// One for each kind that has trials; without the cases that are `not_yet`.
[[nodiscard]] std::vector<KindCount> count_kinds(const Examined& examined);

/// How often something came out among some trials. Trials of one recording share their baseline
/// runs, so they are not quite independent and the interval is a little too narrow.
struct Rate {
  std::string what;
  int hits = 0;
  int trials = 0;
  gates::Share share{};
};
/// A/A pairs (nothing changed at all) that passed and that were red; each size of a known
/// regression that failed.
[[nodiscard]] std::vector<Rate> count_rates(const Examined& examined);

}  // namespace perfgate::cli::selftest
