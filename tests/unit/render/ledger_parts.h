/// Ledgers put together by hand for the report tests: figures as a decode step on an H200 may have
/// them, none of them measured.
#pragma once

#include <string>
#include <vector>

#include "runner/model/run_result.h"

namespace perfgate::render {

/// CUDA graphs switched off: 4.585 -> 5.592 ms, nearly all of it in launches.
[[nodiscard]] Ledger eager_ledger();
[[nodiscard]] std::vector<Diagnosis> eager_diagnosis();

/// Another attention kernel in each layer, and a slower product: 4.585 -> 4.875 ms.
[[nodiscard]] Ledger attention_ledger();

/// The first as a store gives it: without kernels, places and gaps.
[[nodiscard]] Ledger store_ledger();

/// The same work on both sides, within noise.
[[nodiscard]] Ledger quiet_ledger();

/// `name` wherever a name of the program or of a library stands.
[[nodiscard]] Ledger hostile_ledger(const std::string& name);
[[nodiscard]] std::vector<Diagnosis> hostile_diagnosis(const std::string& name);

[[nodiscard]] RunResult with_ledger(RunResult run, Ledger ledger,
                                    std::vector<Diagnosis> diagnosis = {});

/// A row without kernels, places and gaps.
[[nodiscard]] LedgerRow ledger_row(LedgerPart part, const std::string& name, double base,
                                   double head, double half_width);

}  // namespace perfgate::render
