/// The ledger and the diagnosis on a terminal. Pure. Internal to the folder.
#pragma once

#include <span>

#include "reporters/render/screen.h"
#include "runner/model/ledger.h"

namespace perfgate::render {

/// "why      CUDA graphs are off (certain, +1.020 ms): ...", a paragraph each.
void put_diagnosis(Screen& screen, std::span<const Diagnosis> diagnosis);

/// A heading with the step on both sides, the waterfall, and what must be known beside it. Bars
/// start where the one above ended: slower to the right, faster to the left.
void put_waterfall(Screen& screen, const Ledger& ledger);

/// Behind each row of the waterfall: its kernels, places or gaps that changed.
void put_ledger_details(Screen& screen, const Ledger& ledger);

}  // namespace perfgate::render
