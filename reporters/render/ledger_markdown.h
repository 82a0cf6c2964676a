/// The ledger and the diagnosis in GitHub's Markdown. Pure. Internal to the folder.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "runner/model/ledger.h"

namespace perfgate::render {

/// A list of the causes, each with its evidence and lever; empty without any.
[[nodiscard]] std::string markdown_diagnosis(std::span<const Diagnosis> diagnosis);

/// The step on both sides, a table of at most `most` rows (tracing, unattributed and the step stand
/// below them), and what must be known beside it.
[[nodiscard]] std::string markdown_waterfall(const Ledger& ledger, std::size_t most);

/// A fold for each row of the waterfall: its kernels, places and gaps that changed, at most `most`
/// of each.
[[nodiscard]] std::string markdown_ledger_details(const Ledger& ledger, std::size_t most);

}  // namespace perfgate::render
