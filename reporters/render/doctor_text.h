/// What `perfgate doctor` prints. Pure.
#pragma once

#include <span>
#include <string>

#include "reporters/render/display_text.h"
#include "runner/model/doctor.h"

namespace perfgate::render {

/// One row a check: its state in a word, its name, what was found; below it what to do. The last
/// line counts the states.
[[nodiscard]] std::string render_doctor(std::span<const DoctorCheck> checks,
                                        const TerminalStyle& style);

}  // namespace perfgate::render
