/// Synthetic runs for the report tests: realistic figures of one decode step on an H200, none of
/// them measured.
#pragma once

#include <string>
#include <vector>

#include "runner/model/run_result.h"

namespace perfgate::render {

struct ReportCase {
  std::string name;  ///< folder under tests/golden/reports
  RunResult result;
};

/// decode_8b in a CUDA graph, judged against a baseline of the same speed.
[[nodiscard]] RunResult passing_run();

/// One case for each story a report must be able to tell.
[[nodiscard]] std::vector<ReportCase> report_cases();

}  // namespace perfgate::render
