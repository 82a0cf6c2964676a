/// Where a step goes, formed once for every report: families and idle by cause, per step, with
/// their baseline. Pure.
///
/// Totals over all traced processes and devices divided by all their steps, so that
/// sum of family ms + sum of idle ms = window ms, exactly as in the analysis
/// (runner/model/analysis.h). Baseline values come from the rows `family_ms/NAME`, `gpu_idle_ms`
/// and `idle_ms/CAUSE` of what was compared or observed, where there are any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/run_result.h"

namespace perfgate::render {

struct FamilyRow {
  std::string family;
  double ms_per_step = 0.0;
  double share = 0.0;  ///< of the window
  double operations_per_step = 0.0;
  std::optional<double> base_ms;
};

struct IdleRow {
  IdleCause cause = IdleCause::unknown;
  double ms_per_step = 0.0;
  double share = 0.0;
  double pieces_per_step = 0.0;
  double mean_us = 0.0;  ///< of a piece
  std::optional<double> base_ms;
};

struct Breakdown {
  bool known = false;  ///< false: no trace, or an invalid one; nothing else is set
  double window_ms = 0.0;
  double busy_ms = 0.0;
  double idle_ms = 0.0;
  double gaps_per_step = 0.0;
  std::optional<double> base_idle_ms;
  std::vector<FamilyRow> families;  ///< by falling ms, then name
  std::vector<IdleRow> idle;        ///< by falling ms, then cause
  std::size_t processes = 0;
  std::size_t devices = 0;  ///< of one process, the most that any had
};
/// A result.json from elsewhere may hold any int64; a sum stays at the end of the range.
[[nodiscard]] std::int64_t saturated_sum(std::int64_t a, std::int64_t b);

[[nodiscard]] Breakdown break_down(const RunResult& result);

/// The row with this metric id, or null.
[[nodiscard]] const Comparison* find_comparison(const RunResult& result, std::string_view metric);
[[nodiscard]] const MetricValue* find_metric(const RunResult& result, std::string_view id);

/// The traced process whose tables are shown: the first with a usable capture; null when there is
/// none, or the capture as a whole is invalid.
[[nodiscard]] const TracedProcess* shown_process(const RunResult& result);

/// Median and number of a process's steps, from its summary or its samples; empty when it has none.
[[nodiscard]] std::optional<StepSummary> step_summary(const ProcessRecord& process);

}  // namespace perfgate::render
