/// From what the user named to a checked WorkloadSpec.
#pragma once

#include <string>
#include <vector>

#include "runner/model/result.h"
#include "runner/model/workload_spec.h"
#include "runner/platform/files.h"
#include "workloads/spec/workload_file.h"

namespace perfgate::cli {

/// Joins the parser with the metric catalogue ("did you mean 'gpu_idle_ms'?") and with the rules of
/// gates ("exact is for counts").
[[nodiscard]] workloads::ParseOptions parse_options();

/// Reads and checks FILE. Errors: `usage` (no such file), `invalid_config` with compiler-like
/// context. A file that is not there but comes with perfgate, in `installed`, is named in the hint.
[[nodiscard]] Result<WorkloadSpec> read_workload(const platform::FileSystem& files,
                                                 const std::string& path,
                                                 const std::string& installed = {});

/// `perfgate run -- CMD`: a workload without a file, named as `perfgate init` names it. Steps come
/// from the results file if the program writes one, by `range` if one is named. Error `usage`: an
/// argument that is not UTF-8.
[[nodiscard]] Result<WorkloadSpec> workload_of_command(const std::vector<std::string>& argv,
                                                       const std::string& step_range);

}  // namespace perfgate::cli
