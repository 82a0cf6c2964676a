/// Runs for the tests of the HTML page that the golden reports do not have: with a ledger, in
/// session, empty. All figures are made up; none is measured.
#pragma once

#include <string>

#include "runner/model/run_result.h"

namespace perfgate::render::html {

/// CUDA graphs off, attention replaced: a ledger with kernels, places and gaps, and two causes.
[[nodiscard]] RunResult ledger_run();
/// The same, with `name` wherever a program's or a file's own word stands.
[[nodiscard]] RunResult hostile_ledger_run(const std::string& name);
/// Base and head measured side by side.
[[nodiscard]] RunResult session_run();
/// Nothing but a verdict.
[[nodiscard]] RunResult empty_run();

}  // namespace perfgate::render::html
