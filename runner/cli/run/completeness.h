/// Is a run folder the whole run that its workload file asks for? A measured one always is: it ends
/// at a look. A copy may have lost a part, or have been put together. Pure but for the captures.
#pragma once

#include <string>

#include "runner/model/result.h"
#include "runner/model/run_result.h"
#include "runner/model/workload_spec.h"
#include "runner/platform/files.h"

namespace perfgate::cli {

/// What is missing, in one sentence: a process in the sequence, processes up to a look, steps, the
/// samples of the GPU that others have; a process that is said to be repeated and was not
/// disturbed; results or captures that are those of another process. Empty: it is complete, or a
/// process of the workload failed, after which no other was started. `measurement`: out of
/// processes/, as read_run_folder gives it. Errors: a capture that cannot be read.
[[nodiscard]] Result<std::string> missing_part(const WorkloadSpec& spec,
                                               const Measurement& measurement,
                                               const std::string& folder,
                                               const platform::FileSystem& files);

/// Where the parts of a folder disagree, in one sentence: result.json is of another workload, or
/// its times are not those of the processes beside it (those of the base too). Empty: they agree.
/// `result`: as read_run_folder gives it. result.json is the summary; what the processes wrote is
/// the measurement.
[[nodiscard]] Result<std::string> edited_part(const WorkloadSpec& spec, const RunResult& result);

/// The same of what is out of the captures, analysed anew: their validity, and the counted and
/// traced metrics (those of the base too). Empty as well where the captures are not there, or the
/// result is of another perfgate or other family rules, which may tell the same records otherwise.
/// Costs what the captures take: a gate of a decode_8b, with three of them, takes 0.02 s of one
/// core in all, a capture of a million records about 0.9 s.
[[nodiscard]] Result<std::string> edited_traces(const WorkloadSpec& spec, const RunResult& result,
                                                const std::string& folder,
                                                const platform::FileSystem& files);

}  // namespace perfgate::cli
