/// The verdict as JUnit XML, for CI systems that show test results. Pure.
///
/// One suite for the workload; a test case for the verdict and one for each compared metric: fail
/// -> failure, invalid -> error, not judged -> skipped (JUnit has no other word).
#pragma once

#include <string>
#include <string_view>

#include "runner/model/run_result.h"

namespace perfgate::render {

[[nodiscard]] std::string render_junit(const RunResult& result);

/// For XML text and attribute values; characters that XML 1.0 forbids become '?'.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace perfgate::render
