/// A/A runs in the store: measured again and again to see how far the same program scatters. They
/// never serve as a baseline.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "baselines/record.h"
#include "baselines/store.h"
#include "runner/model/metric.h"
#include "runner/model/result.h"
#include "runner/model/run_result.h"

namespace perfgate::baselines {

/// One metric of one run. Runs of one `occasion_utc` share that occasion's luck.
struct NoisePoint {
  SeriesKey key;
  int measure_version = kMeasureVersion;
  std::string instance{};      ///< gpu_uuid; empty = unknown
  std::string occasion_utc{};  ///< when the occasion began, ISO 8601
  int run = 0;                 ///< within the occasion, from 0
  std::string commit{};        ///< empty = unknown
  MetricKind kind = MetricKind::timed;
  std::string unit{};
  double value = 0.0;  ///< the gate's statistic: median over the processes
  std::vector<double> samples{};
};

/// Error `usage`: a number that is not finite or below zero, a text that is not given, a run below
/// zero.
[[nodiscard]] Status check(const NoisePoint& point);

/// All or none of them; the same one twice is one. Errors: those of `check` and of the store.
[[nodiscard]] Status record_noise(Store& store, std::span<const NoisePoint> points);

/// Every point of the workload in all environments, of this measuring version; by environment,
/// occasion and run.
[[nodiscard]] Result<std::vector<NoisePoint>> noise_points(const Store& store,
                                                           const std::string& workload_digest,
                                                           int measure_version = kMeasureVersion);

/// The calibrations that count (the newest of its metric), by metric.
[[nodiscard]] Result<std::vector<Calibration>> calibrations_of(const Store& store,
                                                               const std::string& workload_digest,
                                                               const std::string& environment_key);

}  // namespace perfgate::baselines
