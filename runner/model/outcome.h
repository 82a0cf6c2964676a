/// Outcomes of a gate and the process exit codes that follow from them.
///
/// One table for every command, so that CI scripts can rely on it:
/// 0 pass, 1 fail, 2 usage or configuration, 3 not judged, 4 invalid or infrastructure, 130 Ctrl-C.
#pragma once

#include <span>
#include <string_view>

#include "runner/model/result.h"

namespace perfgate {

enum class Outcome { pass, fail, suspected, inconclusive, not_comparable, no_baseline, invalid };

/// "pass", "not_comparable", ... as written to result.json and the store.
[[nodiscard]] std::string_view to_string(Outcome outcome);
/// The inverse; `corrupt` for an unknown word.
[[nodiscard]] Result<Outcome> outcome_from_string(std::string_view word);

inline constexpr int kExitPass = 0;
inline constexpr int kExitFail = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitNotJudged = 3;
inline constexpr int kExitInvalid = 4;
inline constexpr int kExitInterrupted = 130;

/// What a "not judged" outcome becomes by the user's choice (`--on-no-baseline pass`, ...).
enum class UndecidedPolicy { not_judged, pass, fail };

struct ExitPolicy {
  UndecidedPolicy on_suspected = UndecidedPolicy::not_judged;
  UndecidedPolicy on_inconclusive = UndecidedPolicy::not_judged;
  UndecidedPolicy on_no_baseline = UndecidedPolicy::not_judged;
};

[[nodiscard]] int exit_code(Outcome outcome, const ExitPolicy& policy = {});
[[nodiscard]] int exit_code(ErrorCode code);

/// The exit code of several workloads: the worst in the order 2, 1, 4, 3, 0 (130 before all).
/// Empty input is usage: nothing was judged.
[[nodiscard]] int worst_exit_code(std::span<const int> codes);

}  // namespace perfgate
