/// The tables of gate_errors.md. Each function measures and writes one section.
#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

#include "tests/bench/gate_errors/experiments.h"

namespace perfgate::bench {

struct Plan {
  std::vector<double> process_cvs;
  std::vector<double> run_ratios;
  int draws = 0;  ///< a row
  int threads = 1;
  std::uint64_t seed = 1;
};

/// A row's own random numbers, whatever else is written; `section` tells tables apart.
[[nodiscard]] Effort effort_of(const Plan& plan, const Setting& setting, std::uint64_t section);

/// Rows that did not get all of their draws: the program ends with an error then.
struct Completeness {
  int rows = 0;
  int short_rows = 0;
  void check(const Rate& rate, int draws);
};

/// What perfgate promises, and whether the draws bear it out.
void write_targets(const Plan& plan, std::ostream& out, Completeness& completeness);
void write_store_target(const Plan& plan, std::ostream& out, Completeness& completeness);
void write_peers(const Plan& plan, std::ostream& out, Completeness& completeness);
void write_session(const Plan& plan, std::ostream& out, Completeness& completeness);
void write_store_then_pairs(const Plan& plan, std::ostream& out, Completeness& completeness);
void write_store_nulls(const Plan& plan, std::ostream& out, Completeness& completeness);
void write_store_power(const Plan& plan, std::ostream& out, Completeness& completeness);
void write_store_lengths(const Plan& plan, std::ostream& out, Completeness& completeness);
void write_correlated(const Plan& plan, std::ostream& out, Completeness& completeness);

}  // namespace perfgate::bench
