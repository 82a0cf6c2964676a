/// Where a step goes and where the GPU waits. Pure. Internal to the folder.
#pragma once

#include <string>
#include <string_view>

#include "reporters/render/breakdown.h"
#include "runner/model/run_result.h"

namespace perfgate::render::html {

/// The colour of a family or an idle cause, by name, so that it is the same on every page: a class
/// and a variable of the style sheet ("f0" to "f7", "fx"; "i0" to "i3", "ix").
[[nodiscard]] std::string_view family_ink(std::string_view family);
[[nodiscard]] std::string_view idle_ink(IdleCause cause);

/// Families and idle by cause, which sum to the traced step.
[[nodiscard]] std::string step_markup(const RunResult& result, bool charts);
/// Idle by cause and the largest gap sites of the shown process; then its ranges.
[[nodiscard]] std::string gaps_markup(const RunResult& result, bool charts);
/// Every kernel of the shown process, sortable.
[[nodiscard]] std::string kernels_markup(const RunResult& result);

}  // namespace perfgate::render::html
