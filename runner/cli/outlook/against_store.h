/// `validate --against-store`: which runs would be the baseline of a run, and what its gates will
/// see against them, before anything is measured.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gates/outlook.h"
#include "runner/cli/git.h"
#include "runner/model/fingerprint.h"
#include "runner/model/result.h"
#include "runner/model/workload_spec.h"
#include "runner/platform/environment.h"
#include "runner/platform/files.h"

namespace perfgate::cli {

struct AheadRequest {
  std::string store;
  std::string branch;
  Ancestry ancestry{};
  /// Of this machine, as `run` will form it (but for the program). Empty = nobody asked for it: the
  /// environment and the GPU of the newest run that could serve stand for it.
  std::optional<Fingerprint> machine{};
};

/// The runs of one environment of this workload that stand beside those that were taken.
struct OtherEnvironment {
  std::string differs;  ///< "driver 580.65 -> 570.12": from the one taken to this one
  int runs = 0;
};

struct WorkloadAhead {
  std::string path{};
  std::string workload{};
  std::string store{};
  std::string branch{};
  std::string how{};       ///< as the report will name the baseline, or why there is none
  std::string obstacle{};  ///< what of this machine differs from the runs there; empty = nothing
  std::string gpu{};       ///< as --gpu named it, for the command that is proposed; may be empty
  bool has_runs = false;   ///< there is a baseline
  bool of_this_machine = false;
  std::map<std::string, std::string> environment{};  ///< whose runs were taken
  std::vector<OtherEnvironment> others{};
  std::vector<gates::Outlook> gates{};  ///< in the file's order
};

/// The selection is that of `run`: branch, ancestors, environment, version. A store that is not
/// there yet is no error. Errors: those of the store; `corrupt` for a damaged one.
[[nodiscard]] Result<WorkloadAhead> look_ahead(const WorkloadSpec& spec,
                                               const AheadRequest& request);

/// What this machine is to `run --gpu GPU`; "none" asks for no GPU. Errors: `unavailable` without
/// one, `usage` for one that is not there.
[[nodiscard]] Result<Fingerprint> machine_fingerprint(const std::string& gpu,
                                                      const WorkloadSpec& spec,
                                                      const platform::Environment& environment,
                                                      const platform::FileSystem& files);

}  // namespace perfgate::cli
