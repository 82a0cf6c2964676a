/// What stands below the first screen of a terminal report. Internal to the folder.
#pragma once

#include "reporters/render/screen.h"
#include "runner/model/run_result.h"

namespace perfgate::render {

/// Where the change went, compared metrics, gap sites, kernels, ranges, changes of the subject,
/// machine, processes, notes. A section without content is left out.
void put_details(Screen& screen, const RunResult& result);

/// Where one device waited in a traced process, its kernels and its ranges. `compared`: the gaps
/// are said to be this run's only.
void put_traced(Screen& screen, const TracedProcess& process, const DeviceWindow& device,
                bool compared);

}  // namespace perfgate::render
