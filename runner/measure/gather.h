/// What an ended process left behind: results, captures, and whether they can be used.
#pragma once

#include <cstdint>
#include <string>

#include "runner/measure/measure.h"
#include "runner/measure/run_folder.h"

namespace perfgate::measure {

/// When the process ran, CLOCK_REALTIME: the block of steps whose source tells no times.
struct Lifetime {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;  ///< > start_ns
};

/// Fills `results` and `capture_files` of a record whose process ended well, or marks it silent
/// with the reason. Steps that come from ranges or output are written as results.jsonl too, so that
/// a replay needs neither. Error: only if that file cannot be written.
[[nodiscard]] Status gather(const WorkloadSpec& spec, const MeasureOptions& options,
                            platform::FileSystem& files, const std::string& run_folder,
                            const Lifetime& lifetime, ProcessRecord& record);

}  // namespace perfgate::measure
