#include "runner/cli/drill/step_before.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gates/wording.h"
#include "runner/cli/drill/trial.h"

namespace perfgate::cli {
namespace {

constexpr double kLeastSeen = 0.5;
constexpr double kMostSeen = 1.5;
constexpr double kUsPerMs = 1e3;

/// One untraced process.
WorkloadSpec alone(WorkloadSpec spec) {
  spec.timing.processes = {1};
  spec.trace.processes = {0};
  return spec;
}

Result<double> step_ms(const DrillGround& ground, double delay_us, const std::string& name,
                       Context& context, const RunPorts& ports) {
  RunRequest request = ground.request;
  request.spec = alone(request.spec);
  request.in_session = request.pairs = false;
  request.head = arm_with(ground.means, delay_us);
  request.run_folder = ground.folder + "/" + name;
  PG_ASSIGN_OR_RETURN(const Assessed assessed, run_measured(request, context, ports));
  PG_TRY(check_measured(assessed.result, ports));
  const auto& metrics = assessed.result.metrics;
  const auto step = std::ranges::find(metrics, "step_time_p50", &MetricValue::id);
  if (step != metrics.end() && step->value > 0.0) return step->value;
  return Error{.code = ErrorCode::invalid_measurement,
               .message = "the step time of " + request.spec.name + " is not known",
               .hint = "perfgate run says what is missing",
               .context = {}};
}

Error not_seen(double seen) {
  Error error{.code = ErrorCode::invalid_measurement,
              .message = {},
              .hint =
                  "begin timing before the range opens, and wait for the GPU in each "
                  "step; or let perfgate time the ranges: results: nvtx",
              .context = {}};
  if (seen > kMostSeen) {
    error.message = fmt::format(
        "a delay of one step made the step {:.1f} steps longer by the program's clock: a step "
        "opens its range more than once, or its times do not contain the range's start",
        seen);
    error.hint =
        "name the range that is one step in steps.range, and begin timing before it opens; or let "
        "perfgate time the ranges: results: nvtx";
  } else {
    error.message = fmt::format(
        "the delay was not seen by the program's clock: {:.0f} % of it showed; your step times do "
        "not contain the range's start, so nothing was drilled",
        100.0 * std::max(seen, 0.0));
  }
  return error;
}

}  // namespace

Status check_measured(const RunResult& result, const RunPorts& ports) {
  if (ports.cancellation.cancelled()) {
    return Error{.code = ErrorCode::interrupted,
                 .message = "interrupted",
                 .hint = "the trials that had been judged are kept",
                 .context = {}};
  }
  const auto& reasons = result.verdict.reasons;
  const auto found = std::ranges::find(reasons, "measurement_invalid", &Reason::code);
  if (found == reasons.end()) return {};
  return Error{.code = ErrorCode::invalid_measurement,
               .message = "the drill cannot be judged: " + found->text,
               .hint = "mend it and call again; the trials before this one are kept",
               .context = {}};
}

Result<double> step_before(const DrillGround& ground, Context& context, const RunPorts& ports) {
  PG_ASSIGN_OR_RETURN(const double quiet_ms, step_ms(ground, 0.0, "before", context, ports));
  if (ground.means != baselines::Planted::host_delay) return quiet_ms;
  PG_ASSIGN_OR_RETURN(const double delayed_ms,
                      step_ms(ground, quiet_ms * kUsPerMs, "before-delayed", context, ports));
  const double seen = (delayed_ms - quiet_ms) / quiet_ms;
  if (seen < kLeastSeen || seen > kMostSeen) return not_seen(seen);
  return quiet_ms;
}

}  // namespace perfgate::cli
