/// The computing functions behind the catalogue's rows. Each returns one sample per process.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/analysis/metric_catalog.h"

namespace perfgate::analysis::metrics {

using Samples = Result<MetricSamples>;

[[nodiscard]] inline MetricSamples no_samples(std::string reason) {
  MetricSamples samples;
  samples.missing = std::move(reason);
  return samples;
}

// step_time.cpp: untraced steps; one median, 90th percentile or mean per process.
[[nodiscard]] Samples step_time_p50(const MetricInput& input, std::string_view parameter);
/// For host-bound programs on shared hosts. Eager PyTorch on H200s had steps of two speeds, 2.0 and
/// 3.1 ms, that changed every second or minute: processes differ by 13 % in their median, and by
/// 5.5 % in this (tests/data/aa_h200).
[[nodiscard]] Samples step_time_p05(const MetricInput& input, std::string_view parameter);
[[nodiscard]] Samples step_time_p90(const MetricInput& input, std::string_view parameter);
[[nodiscard]] Samples step_time_mean(const MetricInput& input, std::string_view parameter);
[[nodiscard]] Samples tokens_per_s(const MetricInput& input, std::string_view parameter);

// device_time.cpp: per step, mean over the devices of a traced process.
[[nodiscard]] Samples gpu_busy_ms(const MetricInput& input, std::string_view parameter);
[[nodiscard]] Samples gpu_idle_ms(const MetricInput& input, std::string_view parameter);
[[nodiscard]] Samples idle_ms(const MetricInput& input, std::string_view cause);
[[nodiscard]] std::vector<std::string> idle_causes_seen(const MetricInput& input);

// families.cpp: per step, mean over the devices.
[[nodiscard]] Samples family_ms(const MetricInput& input, std::string_view family);
[[nodiscard]] Samples unclassified_percent(const MetricInput& input, std::string_view parameter);
[[nodiscard]] Samples exposed_communication_ms(const MetricInput& input,
                                               std::string_view parameter);
[[nodiscard]] std::vector<std::string> families_seen(const MetricInput& input);

// kernels.cpp: weighted median over the kernels that match.
[[nodiscard]] Samples kernel_us(const MetricInput& input, std::string_view pattern);

// counts.cpp: exact counts per step of a traced process, all devices together.
[[nodiscard]] Samples kernel_launches(const MetricInput& input, std::string_view parameter);
[[nodiscard]] Samples launch_calls(const MetricInput& input, std::string_view parameter);
[[nodiscard]] Samples graph_launches(const MetricInput& input, std::string_view parameter);
[[nodiscard]] Samples copies(const MetricInput& input, std::string_view parameter);

// floor.cpp: the floor against each untraced process.
[[nodiscard]] Samples achieved_bytes_per_s(const MetricInput& input, std::string_view parameter);
[[nodiscard]] Samples floor_percent(const MetricInput& input, std::string_view parameter);

// reported.cpp: what the program itself measured, untraced.
[[nodiscard]] Samples reported(const MetricInput& input, std::string_view name);
[[nodiscard]] std::vector<std::string> names_reported(const MetricInput& input);

}  // namespace perfgate::analysis::metrics
