/// What an ended process left behind: results, captures, and whether they can be used.
#pragma once

#include "runner/measure/measure.h"
#include "runner/measure/run_folder.h"

namespace perfgate::measure {

/// Fills `results` and `capture_files` of a record whose process ended well, or marks it silent
/// with the reason. Steps that come from ranges or output are written as results.jsonl too, so that
/// a replay needs neither. Error: only if that file cannot be written.
[[nodiscard]] Status gather(const WorkloadSpec& spec, const MeasureOptions& options,
                            platform::FileSystem& files, const std::string& run_folder,
                            ProcessRecord& record);

}  // namespace perfgate::measure
