/// What changed: the judged metrics, and the ledger of the step, base to head. Pure. Internal to
/// the folder.
#pragma once

#include <string>

#include "runner/model/run_result.h"

namespace perfgate::render::html {

/// Every compared metric, worst first, and the accepted regressions.
[[nodiscard]] std::string metrics_markup(const RunResult& result);

/// Where the change of the step went, with the kernels, places and gaps behind each row; empty
/// without a ledger. `charts`: with the place for its chart.
[[nodiscard]] std::string ledger_markup(const RunResult& result, bool charts);

/// "+1.034", and its interval where that is known.
[[nodiscard]] std::string ledger_change(const LedgerChange& change);
/// "4.585 ms -> 5.592 ms a step, +1.007 ms +-0.004 (+22 %)", with an arrow.
[[nodiscard]] std::string ledger_summary(const Ledger& ledger);

}  // namespace perfgate::render::html
