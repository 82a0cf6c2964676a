/// A gate on a metric of the program's own that the program did not report: what it did report.
#pragma once

#include "runner/model/run_result.h"

namespace perfgate::cli {

/// Where a gate's `reported/NAME` is not among the result's metrics, its reason goes on with what
/// the program reported and the name that is nearest, in the row and in the verdict.
void name_reported(RunResult& result);

}  // namespace perfgate::cli
