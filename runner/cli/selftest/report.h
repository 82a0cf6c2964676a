/// What a self-test found, for people and for programs. Pure.
#pragma once

#include <string>

#include "reporters/render/display_text.h"
#include "runner/cli/selftest/examine.h"

namespace perfgate::cli::selftest {

/// The worst fault of the trials that count; cases that are `not_yet` do not.
[[nodiscard]] Fault worst_fault(const Examined& examined);

/// A table of kinds, the rates with their intervals, what came out wrongly, what is not built yet,
/// one line of verdict and the next step.
[[nodiscard]] std::string render_selftest(const Examined& examined,
                                          const render::TerminalStyle& style);

/// {"verdict", "trials", "as_expected", "kinds": [...], "rates": [...], "cases": [{..., "trials":
/// [...]}]}
[[nodiscard]] std::string selftest_json(const Examined& examined);

}  // namespace perfgate::cli::selftest
