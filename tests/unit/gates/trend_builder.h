/// Weeks of runs for the tests of the trend.
#pragma once

#include <cmath>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "gates/trend.h"

namespace perfgate::gates {

using Random = std::mt19937_64;
inline double normal(Random& random) { return std::normal_distribution<double>()(random); }

inline constexpr double kLevelMs = 4.49;
inline constexpr double kSd = 0.0004;  // of decode_8b on one H200

inline BaselinePoint point_of(int run, double value, const std::string& gpu = "GPU-1") {
  const std::string number = std::to_string(1000 + run);
  return {.run = run,
          .commit = "c" + number,
          .recorded_utc = "2026-01-01T00:00:00." + number + "Z",
          .instance = gpu,
          .samples = {value, value, value},
          .value = value};
}

/// Runs from 1 on; nothing is accepted.
inline TrendInput input_of(const std::vector<double>& values,
                           const std::string& metric = "step_time_p50") {
  TrendInput input;
  input.gate.metric = metric;
  input.history.metric = metric;
  input.history.unit = "ms";
  int run = 0;
  for (const double value : values) {
    ++run;
    input.history.points.push_back(point_of(run, value));
  }
  return input;
}

/// As `perfgate baseline pin RUN` does: the level is that run's own value.
inline void pin(TrendInput& input, int run) {
  for (const BaselinePoint& point : input.history.points) {
    if (point.run != run) continue;
    input.history.pinned = point.value;
    input.history.pinned_instance = point.instance;
    input.pin = TrendPin{.at = {.run = run, .commit = point.commit, .utc = point.recorded_utc},
                         .set_utc = point.recorded_utc,
                         .reason = "first level"};
  }
}

inline std::vector<double> quiet(Random& random, int runs, double level = kLevelMs) {
  std::vector<double> values;
  for (int i = 0; i < runs; ++i) values.push_back(level * std::exp(kSd * normal(random)));
  return values;
}

inline TrendMetric watched(const TrendInput& input) {
  return watch(std::span(&input, 1)).metrics.front();
}

}  // namespace perfgate::gates
