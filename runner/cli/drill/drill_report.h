/// What all drills in the store say of a workload's gate: how often it fails falsely, and how often
/// it finds a slowdown of each size. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "baselines/drills.h"
#include "gates/wilson.h"
#include "reporters/render/display_text.h"
#include "runner/cli/json_output.h"
#include "runner/model/trend.h"

namespace perfgate::cli {

/// The trials with one thing planted in one size.
struct DrillRate {
  baselines::Planted planted = baselines::Planted::nothing;
  double size_ratio = 0.0;
  int trials = 0;  ///< that were judged
  int failed = 0;
  int suspected = 0;
  int inconclusive = 0;
  int not_judged = 0;    ///< in none of the others
  gates::Share share{};  ///< failed of trials: false FAIL for `nothing`, else power
};

/// One workload in one environment.
struct DrillReport {
  std::string workload_name;
  std::string workload_digest;
  std::string environment_key;
  std::vector<std::string> commits{};
  std::vector<std::string> instances{};
  std::vector<DrillRate> rates{};  ///< nothing first, then by means and size
  std::vector<baselines::DrillTrial> trials{};
};

/// One report an environment, in the order of the trials (drills.h).
[[nodiscard]] std::vector<DrillReport> drill_reports(std::span<const baselines::DrillTrial> trials);

/// "run 1, first: 42.7 us (1.00 %) by spin: FAIL, measured +1.02 %; 42 processes, 88 s"
[[nodiscard]] std::string trial_line(const baselines::DrillTrial& trial);
/// As reports show them.
[[nodiscard]] std::vector<TrendDrill> drill_shares(const DrillReport& report);

/// "45.0 us (1.00 %) by spin", "nothing".
[[nodiscard]] std::string planted_words(const baselines::DrillTrial& trial);

[[nodiscard]] std::string drill_text(const DrillReport& report, const render::TerminalStyle& style);
[[nodiscard]] Json drill_report_json(const DrillReport& report);

}  // namespace perfgate::cli
