/// The words for what was compared in one session, head and base in pairs. Pure.
#pragma once

#include <string>

#include "reporters/render/next_action.h"
#include "runner/model/run_result.h"

namespace perfgate::render {

/// "12 pairs", "5 processes against 10 runs".
[[nodiscard]] std::string sample_words(const Comparison& row);

/// What would decide a row of a session that is suspected or inconclusive for want of pairs; an
/// empty sentence where the advice does not differ from that against the store.
[[nodiscard]] NextAction after_open_pairs(const RunResult& result, const Comparison& row);

}  // namespace perfgate::render
