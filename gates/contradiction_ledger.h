/// Whether the ledger and the causes of a result can be what its own figures came to. Pure.
/// Internal to contradiction.h, which says what is checked.
#pragma once

#include <string>

#include "runner/model/run_result.h"

namespace perfgate::gates {

/// One sentence; empty = nothing was found, or there is neither a ledger nor a cause.
[[nodiscard]] std::string contradiction_of_ledger(const RunResult& result);

}  // namespace perfgate::gates
