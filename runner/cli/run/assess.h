/// Everything after the measuring: captures -> analysis -> metrics -> baseline -> verdict. The same
/// for a measured and for a replayed run, for one program and for two.
///
/// One program is judged against the store. Where a base ran too, its looks (stage `screen`) judge
/// the head in pairs; where the base ran for fresh pairs alone, the store screened. Fresh pairs
/// (stage `confirm`) then decide what was suspected. All of it follows from the processes
/// themselves, so that a replay needs to be told nothing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "baselines/select.h"
#include "gates/looks.h"
#include "runner/cli/run/assess_arm.h"
#include "runner/device/calibration.h"
#include "runner/measure/measure.h"
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
  std::optional<BaseArm> base_arm{};  ///< `how` and `subject` of the base, where there is one
  /// The lines of perfgate-accepts.yaml on this workload: those on the work decide what is judged.
  std::span<const Accept> accepts{};
  std::string today_utc{};  ///< "2026-11-30"
  /// Why the measurement cannot be judged, whatever it shows: a recording that is not complete.
  std::optional<MeasurementProblem> problem{};
  /// The branch's own recording: a breach of the pinned level fails it.
  bool is_recording = false;
};

struct Assessed {
  RunResult result;
  /// Gates that can never pass as written: exit 2, whatever the verdict.
  std::vector<std::string> configuration_errors;
};

/// Are traced processes asked for? Not of a run without a GPU whose gates are of untraced times
/// alone: such a program has no GPU work to trace, and is judged on time.
[[nodiscard]] bool wants_traces(const WorkloadSpec& spec, const Fingerprint& fingerprint);

/// Errors: those of assess_arm. A run that failed is no error: its verdict is `invalid`. The lines
/// on the work are in `RunResult::accepted`, the others are applied by accepts_input.h.
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

/// The fresh pairs that the suspects of the looks need; none where nothing is suspected.
[[nodiscard]] measure::ConfirmPlan plan_confirmation(const AssessInput& so_far,
                                                     const platform::FileSystem& files);

}  // namespace perfgate::cli
