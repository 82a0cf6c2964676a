#include "runner/cli/drill/trial.h"

#include <charconv>
#include <string_view>
#include <variant>

#include <fmt/format.h>

namespace perfgate::cli {
namespace {

/// Below half a nanosecond: the kernel is launched and waits for nothing
/// (workloads/builtin/faults.h).
constexpr double kKernelAloneUs = 0.0001;

/// SplitMix64's finaliser (Steele, Lea and Flood 2014).
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

}  // namespace

Result<double> parse_drill_size(const std::string& text) {
  std::string_view number = text;
  const bool percent = number.ends_with('%');
  if (percent) number.remove_suffix(1);
  while (number.ends_with(' ')) number.remove_suffix(1);
  double value = 0.0;
  const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), value);
  const bool whole = problem == std::errc{} && end == number.data() + number.size();
  if (percent && whole && value > 0.0 && value <= 100.0) return value / 100.0;
  if (!percent && whole && value > 0.0 && value <= 100.0) {
    return Error{.code = ErrorCode::usage,
                 .message = "--size '" + text + "' has no %",
                 .hint = "--size " + text + "% is that share of the step time",
                 .context = {}};
  }
  return Error{.code = ErrorCode::usage,
               .message = "--size '" + text + "' is not a slowdown",
               .hint = "a percentage of the step time above 0 and up to 100: --size 1%",
               .context = {}};
}

Result<baselines::Planted> means_of(const WorkloadSpec& spec) {
  if (std::holds_alternative<BuiltinRun>(spec.run)) return baselines::Planted::spin;
  if (!spec.steps.range.empty()) return baselines::Planted::host_delay;
  return Error{
      .code = ErrorCode::usage,
      .message = spec.name + " names no NVTX range that is one step: a delay has no place in it",
      .hint =
          "write steps: {range: NAME}; perfgate init -- CMD lists the ranges that a "
          "program opens",
      .context = {}};
}

ArmChoice arm_with(baselines::Planted means, double us) {
  ArmChoice arm;
  if (means == baselines::Planted::spin) {
    arm.environment["PERFGATE_INJECT"] = fmt::format("spin_us={}", us > 0.0 ? us : kKernelAloneUs);
  }
  if (means == baselines::Planted::host_delay) arm.step_delay_us = us;
  return arm;
}

bool slower_first(std::int64_t seed, int run) {
  const auto start = static_cast<std::uint64_t>(seed);
  return mixed(mixed(start) + static_cast<std::uint64_t>(run)) % 2 == 0;
}

TrialVerdict verdict_on(const baselines::DrillTrial& trial) {
  switch (trial.outcome) {
    case Outcome::not_comparable:
    case Outcome::no_baseline:
    case Outcome::invalid: return TrialVerdict::not_judged;
    case Outcome::fail:
    case Outcome::pass:
    case Outcome::suspected:
    case Outcome::inconclusive: break;
  }
  const bool failed = trial.outcome == Outcome::fail;
  if (trial.planted == baselines::Planted::nothing)
    return failed ? TrialVerdict::false_fail : TrialVerdict::right;
  if (failed) return TrialVerdict::right;
  const bool promised = trial.finds_from_ratio && trial.size_ratio >= *trial.finds_from_ratio;
  return promised ? TrialVerdict::broken_promise : TrialVerdict::missed;
}

int exit_code(TrialVerdict verdict) {
  switch (verdict) {
    case TrialVerdict::false_fail:
    case TrialVerdict::broken_promise: return kExitFail;
    case TrialVerdict::not_judged: return kExitNotJudged;
    case TrialVerdict::right:
    case TrialVerdict::missed: break;
  }
  return kExitPass;
}

}  // namespace perfgate::cli
