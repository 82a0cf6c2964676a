/// The run folder: what is kept of each process, written as it ends and read back by replay.
///
///   workload.yaml                          the file's bytes
///   processes/NN-ROLE/process.json         one line: arm, stage, how it ended, last words,
///   captures
///                     results.jsonl        its results file; written by us where steps came from
///                     ranges or output device.jsonl         the GPU before and after, a line each
///                     stdout.txt stderr.txt
///   captures/NN/PID-START[-N].pgcap       what the probe wrote; N: the N-th program that the
///                                         process executed
///
/// NN is the place in start order: two digits, three from the hundredth process on. A record
/// without arm and stage was written before there were two programs: head, screen.
///
/// Readers are strict: a cut or edited record is an Error `corrupt` that names the file.
#pragma once

#include <string>
#include <vector>

#include "runner/measure/child_request.h"
#include "runner/model/capture.h"
#include "runner/model/result.h"
#include "runner/model/timing.h"
#include "runner/platform/files.h"

namespace perfgate::measure {

/// `run_folder` must be absolute: children run elsewhere.
[[nodiscard]] ProcessPaths process_paths(const std::string& run_folder, int index,
                                         ProcessRole role);

/// Makes the process's folders; captures/NN only if `with_captures`.
[[nodiscard]] Status make_process_folders(platform::FileSystem& files, const ProcessPaths& paths,
                                          bool with_captures);

/// process.json and device.jsonl.
[[nodiscard]] Status write_record(platform::FileSystem& files, const std::string& run_folder,
                                  const ProcessRecord& record);

/// All processes by index, with results and device samples. A timing process that is recorded as ok
/// must have readable results; another's are read where they can be. Errors: `not_found` (no such
/// folder), `corrupt`.
[[nodiscard]] Result<std::vector<ProcessRecord>> read_processes(const platform::FileSystem& files,
                                                                const std::string& run_folder);

/// The captures of one process, relative to the run folder, by name. Empty if there are none.
[[nodiscard]] std::vector<std::string> list_captures(const platform::FileSystem& files,
                                                     const std::string& run_folder, int index);

/// Decodes `record.capture_files` in order. Errors name the file, `corrupt` also for one whose name
/// is another process's; a cut capture is no error (Capture::complete).
[[nodiscard]] Result<std::vector<Capture>> load_captures(const platform::FileSystem& files,
                                                         const std::string& run_folder,
                                                         const ProcessRecord& record);

/// The process's results file. `not_found` if it wrote none.
[[nodiscard]] Result<ProcessResults> load_results(const platform::FileSystem& files,
                                                  const std::string& path);

}  // namespace perfgate::measure
