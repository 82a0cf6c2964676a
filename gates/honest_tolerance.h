/// The smallest honest tolerance of a gate on times: the one figure that `run`, where a gate can
/// never pass, and `validate --against-store` (outlook.h) give. Pure.
#pragma once

#include "gates/power.h"
#include "gates/store_level.h"

namespace perfgate::gates {

/// The test of a head of `processes` that differ as the store's do, at `level` one-sided.
[[nodiscard]] TestStage stage_against(const StoreLevel& store, int processes, double level);

/// On the scale: 95 of 100 unchanged runs of `processes` pass below it, at a look of the two-sided
/// `look_level` (outlook.h has the formula).
[[nodiscard]] double honest_tolerance(const StoreLevel& store, int processes, double look_level);

}  // namespace perfgate::gates
