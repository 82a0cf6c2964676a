/// What a case changes in a recorded run, at the earliest point that the change is about: bytes of
/// files, what processes said of themselves, or figures. The real code goes on from there. Pure.
///
/// A change that finds nothing to change (no such metric, no such process) is an Error `corrupt`: a
/// case that changes nothing would prove nothing.
#pragma once

#include <span>
#include <string>

#include "runner/cli/selftest/cases.h"
#include "runner/cli/selftest/overlay_files.h"
#include "runner/model/run_result.h"

namespace perfgate::cli::selftest {

/// Capture and results files. `folder`: the run folder as its reader will name it; `recorded`: what
/// is in it, unchanged.
[[nodiscard]] Status change_files(std::span<const Change> changes, const Measurement& recorded,
                                  const std::string& folder, OverlayFiles& files);

/// How processes ended, what their work lines say, captures that are not there.
[[nodiscard]] Status change_processes(std::span<const Change> changes, Measurement& measurement);

/// Metrics and fingerprint.
[[nodiscard]] Status change_result(std::span<const Change> changes, RunResult& result);

}  // namespace perfgate::cli::selftest
