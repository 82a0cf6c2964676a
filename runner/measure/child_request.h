/// What a child gets: program, arguments, environment, folder. Pure.
#pragma once

#include <string>

#include "runner/measure/measure.h"

namespace perfgate::measure {

/// Steps beyond the window that a traced child runs, so that the window closes inside its loop.
inline constexpr int kTraceSlackSteps = 8;

/// Absolute paths in the run folder for one process.
struct ProcessPaths {
  std::string folder;  ///< processes/NN-ROLE
  std::string results;
  std::string standard_out;
  std::string standard_error;
  std::string captures;  ///< captures/NN; used where the probe is loaded
};

/// Is the probe in this process? Always in traced ones; in timing ones its NVTX half for `results:
/// nvtx` and where a step is to be delayed, and nowhere else.
[[nodiscard]] bool loads_probe(const WorkloadSpec& spec, const MeasureOptions& options,
                               ProcessRole role);

/// PERFGATE_STEPS: the measured steps; for traced processes the window's and some more; for
/// `results: nvtx` one more, because a step lasts until the next one starts.
[[nodiscard]] int steps_to_run(const WorkloadSpec& spec, ProcessRole role);

/// PERFGATE_WINDOW of a traced process: the file's own, else N + 2 steps after the warm-up, by the
/// range that is one step, else cudaProfilerStart and Stop.
[[nodiscard]] std::string trace_window(const WorkloadSpec& spec);

/// The environment is ours with what a child is told (PERFGATE_*), without the tokens of a CI job;
/// what the workload's own `env` names, a token too, it gets.
/// Error `unavailable`: another injector in the environment; `not_found`: a built-in without
/// perfgate-workload.
[[nodiscard]] Result<platform::ProcessRequest> child_request(const WorkloadSpec& spec,
                                                             const MeasureOptions& options,
                                                             ProcessRole role,
                                                             const ProcessPaths& paths);

/// The file that timing processes run, absolute: found as the child will find it. Errors as
/// child_request and find_program.
[[nodiscard]] Result<std::string> program_to_measure(const WorkloadSpec& spec,
                                                     const MeasureOptions& options,
                                                     const platform::FileSystem& files);

}  // namespace perfgate::measure
