/// What an ended process left behind: results, captures, and whether they can be used.
#pragma once

#include <cstdint>
#include <string>

#include "runner/measure/measure.h"
#include "runner/measure/run_folder.h"

namespace perfgate::measure {

/// What is known of an ended process beside its record. When it ran is the block of steps whose
/// source tells no times.
struct Ending {
  std::int64_t start_ns = 0;  ///< CLOCK_REALTIME
  std::int64_t end_ns = 0;    ///< > start_ns
  bool stdout_cut = false;    ///< stdout.txt lacks the end of what it printed
};

/// A block that a program reports lies in its process's life, but for this: its clock may be
/// another machine's or a virtual one's.
inline constexpr std::int64_t kClockSkewNs = 5'000'000'000;

/// Fills `results` and `capture_files` of a record whose process ended well, or marks it silent
/// with the reason (a block outside of the process's life is one); interrupted if reading its
/// output was. Steps that come from ranges or output are written as results.jsonl too, so that a
/// replay needs neither. Returns what is missing of a process that is good all the same (a traced
/// one whose step times cannot be had), as a sentence for the notes; empty = nothing. Error: only
/// if that file cannot be written.
[[nodiscard]] Result<std::string> gather(const WorkloadSpec& spec, const MeasureOptions& options,
                                         platform::FileSystem& files, const std::string& run_folder,
                                         const Ending& ending, ProcessRecord& record);

}  // namespace perfgate::measure
