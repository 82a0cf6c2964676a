/// From captures of a whole run to what the proposal needs to know of each NVTX range name. Pure.
#pragma once

#include <span>
#include <vector>

#include "runner/model/capture.h"
#include "workloads/spec/propose.h"

namespace perfgate::cli {

/// One entry per name, over all processes; periods within one thread.
[[nodiscard]] std::vector<workloads::SeenRange> seen_ranges(std::span<const Capture> captures);

}  // namespace perfgate::cli
