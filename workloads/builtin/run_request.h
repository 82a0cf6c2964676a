/// What one run of a built-in workload is asked to do, and how its results leave the process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/model/result.h"
#include "runner/model/timing.h"
#include "workloads/builtin/faults.h"
#include "workloads/builtin/parameters.h"
#include "workloads/builtin/tuning_file.h"

namespace perfgate::builtin {

struct RunRequest {
  const workloads::KindInfo* kind = nullptr;
  Parameters parameters;
  Faults faults;
  int warmup = 20;
  int steps = 200;
  TuningTable tuning;
};

/// Steps from the texts of PERFGATE_WARMUP and PERFGATE_STEPS (null: the default); `usage` if one
/// is no number or out of range (warm-up 0 to 1,000,000, steps 1 to 1,000,000).
[[nodiscard]] Status read_step_counts(const char* warmup, const char* steps, RunRequest& request);

/// The tuning table: from `explicit_path` (an error if it cannot be read), else every *.tsv of the
/// first of `folders` that has one, else empty.
[[nodiscard]] Result<TuningTable> load_tuning(const std::string& explicit_path,
                                              const std::vector<std::string>& folders);

/// Writes `text` to path.tmp, then renames: a reader sees the whole file or none. `io` with the
/// reason.
[[nodiscard]] Status write_atomically(const std::string& path, const std::string& text);

/// A few lines for a person: steps, median and spread, work, achieved bytes and FLOP per second,
/// metrics.
[[nodiscard]] std::string summary_text(const ProcessResults& results);

}  // namespace perfgate::builtin
