/// What fresh processes hand over: results files, process records, and the untraced samples.
///
/// `TimingSamples` comes from untraced processes only. Nothing converts a traced process's times
/// into it: traces explain, they never time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/result.h"
#include "runner/model/workload_spec.h"

namespace perfgate {

enum class ProcessRole { timing, trace, counters, control };

/// Which of two programs a process ran, where they are compared in one session; one alone is head.
enum class Arm : std::uint8_t { head, base };
/// Why it ran: at a look of the plan, or afresh for the suspects that the looks had found.
enum class Stage : std::uint8_t { screen, confirm };

struct StepSample {
  std::int64_t step = 0;
  double ms = 0.0;  ///< period from this step's start to the next one's; finite, > 0
};

/// The `work` line: what the program says it did. All figures are per step unless noted.
struct WorkDone {
  std::optional<double> tokens;
  std::optional<double> weights_bytes;
  std::optional<double> kv_bytes;
  std::optional<double> flops;
  /// Over the output of all measured steps: as many steps of equal work give an equal hash.
  std::string output_hash;
};

struct ReportedMetric {
  std::string name;
  double value = 0.0;
  std::string unit;
  Better better = Better::lower;
};

/// A parsed and checked results file (design of the format: runner/results/results_file.h).
struct ProcessResults {
  std::int64_t block_start_ns = 0;  ///< CLOCK_REALTIME, after a device synchronisation
  std::int64_t block_end_ns = 0;
  std::vector<StepSample> steps;
  WorkDone work;
  std::vector<ReportedMetric> metrics;
  /// Where the boundaries were marked. `device`: events on the GPU's clock. `host`: host-side
  /// marks, which count as step times only if the program waits for the GPU in each step.
  enum class Boundary { device, host } boundary = Boundary::host;
};

enum class ProcessState {
  ok,
  crashed,  ///< non-zero exit or a signal
  timed_out,
  silent,       ///< exit 0 without usable results
  not_started,  ///< the program could not be executed
  interrupted,
};

/// Clocks, power and throttling of the GPU at one moment. Empty optionals: NVML could not say.
struct DeviceSample {
  std::int64_t at_ns = 0;  ///< CLOCK_REALTIME
  std::optional<std::uint32_t> sm_clock_mhz;
  std::optional<std::uint32_t> memory_clock_mhz;
  std::optional<std::uint32_t> temperature_c;
  std::optional<std::uint32_t> power_mw;
  std::optional<std::uint64_t> energy_mj;
  std::optional<std::uint64_t> throttle_reasons;  ///< NVML clocks event reasons, a bit set
  // Cumulative since the driver was loaded: what grew while a process ran happened to it.
  std::optional<std::uint64_t> power_cap_us;  ///< held below the power cap: normal under load
  std::optional<std::uint64_t> thermal_slowdown_us;  ///< by NVML's thermal policy, all kinds
  std::optional<std::uint64_t> hardware_thermal_us;
  std::optional<std::uint64_t> software_thermal_us;
  std::optional<std::uint64_t> power_brake_us;  ///< external power brake
  std::optional<std::uint64_t> memory_used_bytes;
  std::optional<std::uint32_t> other_processes;  ///< empty: cannot tell (pid namespace)
};

/// The untraced steps of one process in two figures, for readers of result.json: the steps
/// themselves stay in the process's results file.
struct StepSummary {
  double median_ms = 0.0;
  std::int64_t n = 0;  ///< measured steps
};

struct ProcessRecord {
  int index = 0;  ///< NN of processes/NN-ROLE, in start order
  ProcessRole role = ProcessRole::timing;
  Arm arm = Arm::head;  ///< of a control: of the process before it
  Stage stage = Stage::screen;
  ProcessState state = ProcessState::ok;
  int exit_code = 0;
  int signal = 0;  ///< 0 = none
  double wall_s = 0.0;
  std::string last_words;  ///< tail of stderr, valid UTF-8, at most 4 KiB
  std::string problem;     ///< one sentence when state is not ok
  /// Throttled or shared, and another process took its place: its times are in no TimingSamples.
  bool repeated = false;
  std::optional<ProcessResults> results;
  /// Set when the record was read from a result.json, where `results` has no steps; else formed
  /// from them.
  std::optional<StepSummary> summary;
  std::optional<DeviceSample> before;
  std::optional<DeviceSample> after;
  std::vector<std::string> capture_files;  ///< relative to the run folder, traced processes only
};

/// The untraced step times of one fresh process.
struct ProcessTiming {
  int process = 0;  ///< ProcessRecord::index
  std::vector<double> step_ms;
};

/// The headline: untraced step times by process. The replicate is the process, not the step.
struct TimingSamples {
  std::vector<ProcessTiming> processes;
};

[[nodiscard]] std::string_view to_string(ProcessRole role);
[[nodiscard]] std::string_view to_string(Arm arm);
[[nodiscard]] std::string_view to_string(Stage stage);
[[nodiscard]] std::string_view to_string(ProcessState state);
[[nodiscard]] Result<ProcessRole> process_role_from_string(std::string_view word);
[[nodiscard]] Result<Arm> arm_from_string(std::string_view word);
[[nodiscard]] Result<Stage> stage_from_string(std::string_view word);
[[nodiscard]] Result<ProcessState> process_state_from_string(std::string_view word);

}  // namespace perfgate
