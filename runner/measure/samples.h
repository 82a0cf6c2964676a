/// From process records to samples: which processes and which step times count. Pure.
///
/// Marks of the host ("boundary":"host") are step times only if the program waits for the GPU in
/// each step; else they say when work was queued. A results file has a block, both of whose ends
/// follow a wait for the GPU, so there it is checked: the steps must sum up to the block. Steps out
/// of NVTX ranges, `json` or `regex` come without such a block: that the program waits in each step
/// is assumed there. Marks on the GPU's clock ("boundary":"device") need no check.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runner/model/run_result.h"
#include "runner/model/timing.h"
#include "runner/model/workload_spec.h"

namespace perfgate::measure {

/// Steps that sum up to more or less than their block by more than this are no step times.
inline constexpr double kHostMarkTolerance = 0.02;

/// Where the step times come from; built-in workloads write a results file.
[[nodiscard]] ResultsSource results_source(const WorkloadSpec& spec);

/// A timing process that ended well, has results and was not repeated.
[[nodiscard]] bool counts_as_sample(const ProcessRecord& record);

/// block / steps of a timing process whose marks are the host's. Empty: it has no such block, or
/// its marks are the GPU's.
[[nodiscard]] std::optional<double> block_mean_ms(const WorkloadSpec& spec,
                                                  const ProcessRecord& record);

/// What stands for a step, in all processes of the run alike: a median of marks beside a mean would
/// be a change that nobody made (steps of 10 ms with one of 50 ms in twenty: median 10, mean 12).
enum class StepBasis : std::uint8_t {
  marks,
  block_mean,  ///< the marks of one process or more are no step times
};
[[nodiscard]] StepBasis step_basis(const WorkloadSpec& spec,
                                   std::span<const ProcessRecord> processes);

/// The untraced step times of the processes that count. Where marks are no step times, each step
/// has its process's mean. `basis` is that of the whole run, of both programs where there are two;
/// without it, that of these processes.
[[nodiscard]] TimingSamples timing_samples(const WorkloadSpec& spec,
                                           std::span<const ProcessRecord> processes,
                                           StepBasis basis);
[[nodiscard]] TimingSamples timing_samples(const WorkloadSpec& spec,
                                           std::span<const ProcessRecord> processes);

/// The processes of one of two programs, controls after them included; of one stage if it is given.
[[nodiscard]] std::vector<ProcessRecord> of_arm(std::span<const ProcessRecord> processes, Arm arm,
                                                std::optional<Stage> stage = {});

/// The controls' readings in time order, by metric name without its unit: "read_stream",
/// "bf16_gemm".
[[nodiscard]] std::vector<ControlReading> control_readings(
    std::span<const ProcessRecord> processes);

}  // namespace perfgate::measure
