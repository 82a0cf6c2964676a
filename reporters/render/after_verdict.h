/// What to do after a verdict that is one: after a FAIL, and after a PASS. Pure.
#pragma once

#include <span>
#include <string>

#include "reporters/render/next_action.h"
#include "runner/model/run_result.h"

namespace perfgate::render {

/// Where this report lies, for a shell; RUN_FOLDER where a result does not know its place.
[[nodiscard]] std::string folder_word(const RunResult& result);
/// The whole command that accepts what is worse, with what a person fills in.
[[nodiscard]] std::string accept_command(const RunResult& result);

/// Never a command with --record: pasted on the change's own tree it would make the slow level the
/// baseline. (Where there is none to compare with, next_action and not_comparable give it, and say
/// that it is for the base branch and not for the change.)
[[nodiscard]] NextAction after_fail(const RunResult& result, const Comparison* row,
                                    std::span<const Contribution> parts);
[[nodiscard]] NextAction after_pass(const RunResult& result, const Comparison* row);

}  // namespace perfgate::render
