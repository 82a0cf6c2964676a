/// What stands below the first screen of a terminal report. Internal to the folder.
#pragma once

#include "reporters/render/screen.h"
#include "runner/model/run_result.h"

namespace perfgate::render {

/// Where the change went, compared metrics, gap sites, kernels, ranges, changes of the subject,
/// machine, processes, notes. A section without content is left out.
void put_details(Screen& screen, const RunResult& result);

}  // namespace perfgate::render
