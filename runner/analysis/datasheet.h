/// Datasheet figures by GPU name: memory bandwidth and dense BF16 tensor rate.
///
/// From NVIDIA's product datasheets and architecture whitepapers, named beside each row. "Dense":
/// without structured sparsity; sheets that print only the sparse rate are halved. Boards of which
/// the sheets disagree, or that the name does not tell apart, are left out: then the workload file
/// or `perfgate calibrate` gives the ceiling.
#pragma once

#include <optional>
#include <string_view>

#include "runner/model/analysis.h"

namespace perfgate::analysis {

/// By the name that NVML or CUDA gives ("NVIDIA H100 80GB HBM3"). Empty: no row, and no floor by
/// datasheet.
[[nodiscard]] std::optional<RooflineCeiling> datasheet_ceiling(std::string_view gpu_name);

}  // namespace perfgate::analysis
