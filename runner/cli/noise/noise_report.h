/// What the A/A runs in the store say of each metric, and what follows for its gates. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "baselines/noise_runs.h"
#include "gates/noise.h"
#include "reporters/render/table.h"
#include "runner/cli/json_output.h"
#include "runner/model/run_result.h"

namespace perfgate::cli {

struct NoiseRow {
  std::string metric;
  MetricKind kind = MetricKind::timed;
  std::string unit;
  gates::RunNoise noise{};
};

/// One workload in one environment.
/// Occasions that are closer share their hour's luck: clocks, temperature, neighbours, one boot.
inline constexpr int kHoursApart = 4;

struct NoiseReport {
  std::string workload_name;
  std::string workload_digest;
  std::string environment_key;
  int occasions = 0;
  int runs = 0;
  int close_occasions = 0;  ///< that began within `kHoursApart` of the one before on the same GPU
  std::vector<std::string> commits{};    ///< that were measured; a change between them scatters too
  std::vector<std::string> instances{};  ///< likewise
  std::vector<NoiseRow> rows{};          ///< times by name; counts do not scatter
};

/// What one run gives to the store: times out of untraced processes, with `traced` also what the
/// captures say. Values that a store does not take (not finite, negative) are left out.
enum class Points { timed, all };
[[nodiscard]] std::vector<baselines::NoisePoint> noise_points_of(const RunResult& result,
                                                                 const std::string& workload_digest,
                                                                 const std::string& occasion_utc,
                                                                 int run, Points which);

/// One report an environment, in the order of the points (noise_runs.h).
[[nodiscard]] std::vector<NoiseReport> noise_reports(const std::string& workload_name,
                                                     std::span<const baselines::NoisePoint> points);

/// Of the metrics that have a ratio and enough occasions.
[[nodiscard]] std::vector<baselines::Calibration> calibrations_from(const NoiseReport& report,
                                                                    const std::string& utc);

/// The table, and the occasions that are missing.
[[nodiscard]] std::string noise_text(const NoiseReport& report, const render::TerminalStyle& style);
[[nodiscard]] Json noise_json(const NoiseReport& report);

}  // namespace perfgate::cli
