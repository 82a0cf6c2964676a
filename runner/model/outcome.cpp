#include "runner/model/outcome.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace perfgate {
namespace {

constexpr std::array<std::pair<Outcome, std::string_view>, 7> kOutcomeWords{{
    {Outcome::pass, "pass"},
    {Outcome::fail, "fail"},
    {Outcome::suspected, "suspected"},
    {Outcome::inconclusive, "inconclusive"},
    {Outcome::not_comparable, "not_comparable"},
    {Outcome::no_baseline, "no_baseline"},
    {Outcome::invalid, "invalid"},
}};

int exit_code_of(UndecidedPolicy policy) {
  switch (policy) {
    case UndecidedPolicy::pass: return kExitPass;
    case UndecidedPolicy::fail: return kExitFail;
    case UndecidedPolicy::not_judged: return kExitNotJudged;
  }
  return kExitNotJudged;
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  for (const auto& [value, word] : kOutcomeWords) {
    if (value == outcome) return word;
  }
  return "invalid";
}

Result<Outcome> outcome_from_string(std::string_view word) {
  for (const auto& [value, known] : kOutcomeWords) {
    if (known == word) return value;
  }
  return Error{.code = ErrorCode::corrupt,
               .message = "unknown outcome '" + std::string(word) + "'",
               .hint = "the file was written by a newer perfgate or edited by hand",
               .context = {}};
}

int exit_code(Outcome outcome, const ExitPolicy& policy) {
  switch (outcome) {
    case Outcome::pass: return kExitPass;
    case Outcome::fail: return kExitFail;
    case Outcome::suspected: return exit_code_of(policy.on_suspected);
    case Outcome::inconclusive: return exit_code_of(policy.on_inconclusive);
    case Outcome::no_baseline: return exit_code_of(policy.on_no_baseline);
    case Outcome::not_comparable: return kExitNotJudged;
    case Outcome::invalid: return kExitInvalid;
  }
  return kExitInvalid;
}

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
    case ErrorCode::invalid_config: return kExitUsage;
    case ErrorCode::interrupted: return kExitInterrupted;
    default: return kExitInvalid;
  }
}

int worst_exit_code(std::span<const int> codes) {
  constexpr std::array kWorstFirst{kExitInterrupted, kExitUsage,     kExitFail,
                                   kExitInvalid,     kExitNotJudged, kExitPass};
  for (const int candidate : kWorstFirst) {
    if (std::ranges::find(codes, candidate) != codes.end()) return candidate;
  }
  return kExitUsage;
}

}  // namespace perfgate
