/// Drills in the store: what the gate said where a slowdown of known size, or nothing, had been
/// planted on purpose. They never serve as a baseline.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "baselines/store.h"
#include "runner/model/outcome.h"
#include "runner/model/result.h"
#include "runner/model/run_result.h"

namespace perfgate::baselines {

enum class Planted : std::uint8_t {
  nothing,
  spin,        ///< a kernel at the end of each step that keeps the GPU busy (built-in workloads)
  host_delay,  ///< a busy wait of the host at the start of each step (commands)
};
[[nodiscard]] std::string_view to_string(Planted planted);
[[nodiscard]] Result<Planted> planted_from_string(std::string_view word);

/// One comparison of two programs, judged before it was said what had been planted.
struct DrillTrial {
  std::string workload_name{};
  std::string workload_digest{};
  std::string environment_key{};
  int measure_version = kMeasureVersion;
  std::string instance{};   ///< gpu_uuid; empty = unknown
  std::string drill_utc{};  ///< when the call began, ISO 8601
  int run = 0;              ///< within the call, from 0; each has two trials
  int place = 0;            ///< 0 or 1: first or second of its run
  std::int64_t seed = 0;    ///< of the call: the order in each run follows from it
  std::string commit{};     ///< empty = unknown
  Planted planted = Planted::nothing;
  double size_ratio = 0.0;  ///< of the step, as it was asked for; 0 for `nothing`
  double size_us = 0.0;     ///< of each step; 0 for `nothing`
  double step_ms = 0.0;     ///< the step before anything was planted
  Outcome outcome = Outcome::invalid;
  std::optional<double> change_ratio{};      ///< of the step time, head / base - 1
  std::optional<double> finds_from_ratio{};  ///< Comparison::finds_from_ratio of the step time
  int processes = 0;                         ///< of both programs, without controls
  double seconds = 0.0;                      ///< what the trial took
};

/// Error `usage`: a number that is not finite or below zero, a text that is not given, a size where
/// nothing was planted or none where something was, a place that is neither 0 nor 1.
[[nodiscard]] Status check(const DrillTrial& trial);

/// The same one twice is one. Errors: those of `check` and of the store.
[[nodiscard]] Status record_drill(Store& store, const DrillTrial& trial);

/// Every trial of the workload in all environments, of this measuring version; by environment,
/// time, run and place.
[[nodiscard]] Result<std::vector<DrillTrial>> drill_trials(const Store& store,
                                                           const std::string& workload_digest,
                                                           int measure_version = kMeasureVersion);

}  // namespace perfgate::baselines
