/// The top of the page: verdict, why, how sure, what next; named causes; the facts of the step.
/// Pure. Internal to the folder.
#pragma once

#include <string>

#include "runner/model/run_result.h"

namespace perfgate::render::html {

/// `navigation`: markup of the list of sections.
[[nodiscard]] std::string opening_markup(const RunResult& result, const std::string& navigation);
/// Each named cause with its evidence and its lever; empty where none is named.
[[nodiscard]] std::string causes_markup(const RunResult& result);
/// Step time, floor, capture, machine.
[[nodiscard]] std::string facts_markup(const RunResult& result);

}  // namespace perfgate::render::html
