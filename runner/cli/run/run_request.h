/// One workload's run from request to RunResult: measured on this machine, or replayed from a
/// recording.
#pragma once

#include <string>
#include <vector>

#include "runner/cli/command.h"
#include "runner/cli/run/arm.h"
#include "runner/cli/run/assess.h"
#include "runner/model/result.h"
#include "runner/model/workload_spec.h"
#include "runner/platform/clock.h"
#include "runner/platform/environment.h"
#include "runner/platform/files.h"
#include "runner/platform/interrupt.h"

namespace perfgate::cli {

struct RunRequest {
  WorkloadSpec spec;
  std::string run_folder;     ///< absolute
  std::string gpu = "auto";   ///< auto, an index or a UUID; "none": no GPU is asked for
  std::string store;          ///< path of the store
  bool store_named = false;   ///< by --store: a replay is judged against it too
  std::string branch;         ///< whose baseline counts
  bool branch_named = false;  ///< by --branch: a replay follows it too
  std::string ancestor{};     ///< --ancestor: a replay is judged by it and its first parents
  bool record = false;        ///< refused before anything runs where HEAD is not of that branch
  std::string calibration_folder;
  std::vector<Accept> accepts{};  ///< the lines on this workload of the file beside it
  /// A base runs in the same session: every look in pairs (`pairs`, or where the store cannot
  /// judge), else fresh pairs for what the store suspects.
  bool in_session = false;
  bool pairs = false;
  bool replays = true;  ///< the command has --replay, which a hint may name
  ArmChoice base{};     ///< of the session
  ArmChoice head{};
};

/// The machine, borrowed for the run.
struct RunPorts {
  const platform::Clock& clock;
  platform::FileSystem& files;
  const platform::Environment& environment;
  platform::Cancellation& cancellation;
};

/// Locks the GPU, measures, assesses. The run folder is complete on return, but for result.json and
/// report.md.
[[nodiscard]] Result<Assessed> run_measured(const RunRequest& request, Context& context,
                                            const RunPorts& ports);

/// `recording`: a run folder with result.json. Its baseline is in the store that --store named,
/// else in `../baseline.jsonl` beside it where that is there (replay.db in the run folder is made
/// of it), else in the request's store, on the branch that --branch named, else on the recorded
/// run's own, else on the request's; with `ancestor` of that commit's line alone. Nothing is ever
/// written to those. A recording that is not complete (completeness.h) is judged invalid; one whose
/// parts disagree is an error (`corrupt`). The result has the command of the recorded run.
[[nodiscard]] Result<Assessed> run_replayed(const RunRequest& request, const std::string& recording,
                                            const RunPorts& ports);

/// Writes result.json, report.md and workload.yaml.
[[nodiscard]] Status write_reports(const RunRequest& request, const RunResult& result,
                                   platform::FileSystem& files);

}  // namespace perfgate::cli
