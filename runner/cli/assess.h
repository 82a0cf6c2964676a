/// Everything after the measuring: captures -> analysis -> metrics -> baseline -> verdict. The same
/// for a measured and for a replayed run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "baselines/select.h"
#include "gates/judge.h"
#include "gates/looks.h"
#include "runner/device/calibration.h"
#include "runner/model/run_result.h"
#include "runner/model/workload_spec.h"
#include "runner/platform/files.h"

namespace perfgate::cli {

struct AssessInput {
  const WorkloadSpec& spec;
  const Measurement& measurement;
  std::string run_folder;  ///< absolute; captures are read from it
  RunIdentity identity;
  RunSource source = RunSource::measured;
  const baselines::Selection& baseline;
  std::optional<device::Calibration> calibration;
  /// Why the measurement cannot be judged, whatever it shows: "the recording is not complete: ...".
  std::string problem{};
};

struct Assessed {
  RunResult result;
  /// Gates that can never pass as written: exit 2, whatever the verdict.
  std::vector<std::string> configuration_errors;
};

/// Are traced processes asked for? Not of a run without a GPU whose gates are of untraced times
/// alone: such a program has no GPU work to trace, and is judged on time.
[[nodiscard]] bool wants_traces(const WorkloadSpec& spec, const Fingerprint& fingerprint);

/// Errors: a capture file that cannot be read, a user's family rule, an internal contradiction. A
/// run that failed is no error: its verdict is `invalid`.
[[nodiscard]] Result<Assessed> assess(const AssessInput& input, const platform::FileSystem& files);

/// The last step of `assess` alone: the gates over a result whose metrics, analysis and baseline
/// choice are there. `baseline` gives the series of that choice.
[[nodiscard]] gates::GateOutput judge_result(const WorkloadSpec& spec,
                                             const baselines::Selection& baseline,
                                             const RunResult& result);

/// Would more processes of this role (timing or trace) settle a gate that is undecided over what
/// was measured so far? Judged by the very metrics that `assess` will form.
[[nodiscard]] gates::LookAdvice look_again(const AssessInput& so_far, ProcessRole role,
                                           const platform::FileSystem& files);

/// The first `work` line of the untraced processes; empty = none said what it did.
[[nodiscard]] std::optional<WorkDone> work_of(const Measurement& measurement);

}  // namespace perfgate::cli
