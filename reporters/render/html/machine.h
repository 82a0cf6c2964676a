/// The floor, the processes, the notes and the environment. Pure. Internal to the folder.
#pragma once

#include <string>

#include "runner/model/run_result.h"

namespace perfgate::render::html {

[[nodiscard]] std::string floor_markup(const RunResult& result, bool charts);
/// Each process of the run, with its median step.
[[nodiscard]] std::string processes_markup(const RunResult& result, bool charts);
[[nodiscard]] std::string notes_markup(const RunResult& result);
/// What differs from the baseline's machine and program, and every fact of this one.
[[nodiscard]] std::string environment_markup(const RunResult& result);

}  // namespace perfgate::render::html
