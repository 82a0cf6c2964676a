#include "runner/cli/drill/drill.h"

#include <algorithm>
#include <random>
#include <utility>

#include <unistd.h>

#include "runner/cli/drill/drill_report.h"
#include "runner/cli/drill/step_before.h"
#include "runner/cli/drill/trial.h"
#include "runner/cli/print_text.h"
#include "runner/cli/run/recording.h"
#include "runner/cli/run/run_identity.h"
#include "runner/cli/store_access.h"
#include "runner/cli/workload_input.h"
#include "runner/model/outcome.h"

namespace perfgate::cli {
namespace {

using baselines::DrillTrial;

struct Call {
  const DrillOptions& options;
  Context& context;
  const RunPorts& ports;
  std::string store;
  std::string utc;     ///< of the call
  std::string folder;  ///< of the call's run folders; absolute
  double size_ratio = 0.0;
  std::int64_t seed = 0;
};

/// One call's workload, ready to be drilled.
struct Drilled {
  DrillGround ground;
  double step_ms = 0.0;
};

/// As recording is, with this command's own way out.
Status check_allowed(const platform::Environment& environment) {
  const Status allowed = check_may_record(environment);
  if (allowed.ok()) return {};
  Error error = allowed.error();
  error.hint =
      environment.get_non_empty("PERFGATE_INJECT")
          ? "unset PERFGATE_INJECT: the drill plants its own"
          : "drill in a job of the base branch, at night or by hand; --show reads the store";
  return error;
}

/// A host delay comes with the NVTX half of the probe.
Status check_means(baselines::Planted means, const Context& context) {
  if (means != baselines::Planted::host_delay || !context.installation.probe_library.empty())
    return {};
  return Error{.code = ErrorCode::unavailable,
               .message =
                   "the probe (libperfgate_probe.so) is not beside this perfgate, and a "
                   "command's steps are delayed by it",
               .hint = "install a package with the probe, or build with the CUDA toolkit",
               .context = {}};
}

RunRequest request_of(WorkloadSpec spec, const Call& call) {
  RunRequest request;
  request.spec = std::move(spec);
  request.gpu = call.options.gpu;
  request.store = call.store;
  request.branch = baseline_branch(call.ports.environment, {});
  request.calibration_folder = ".perfgate/calibration";
  request.in_session = request.pairs = true;
  request.replays = false;
  return request;
}

/// What came out, and now what it was.
DrillTrial unblinded(const RunResult& result, const Drilled& drilled, bool slower, int run,
                     int place, const Call& call) {
  const Fingerprint& fingerprint = result.measurement.fingerprint;
  DrillTrial trial{.workload_name = drilled.ground.request.spec.name,
                   .workload_digest = drilled.ground.request.spec.workload_digest,
                   .environment_key = baselines::environment_key(fingerprint),
                   .measure_version = result.identity.measure_version,
                   .instance = baselines::instance_of(fingerprint),
                   .drill_utc = call.utc,
                   .run = run,
                   .place = place,
                   .seed = call.seed,
                   .commit = result.identity.commit,
                   .step_ms = drilled.step_ms,
                   .outcome = result.verdict.outcome,
                   .seconds = result.measurement.wall_s};
  if (slower) {
    trial.planted = drilled.ground.means;
    trial.size_ratio = call.size_ratio;
    trial.size_us = call.size_ratio * drilled.step_ms * 1e3;
  }
  for (const Comparison& row : result.comparisons) {
    if (!row.metric.starts_with("step_time")) continue;
    if (row.metric == "step_time_p50") trial.change_ratio = row.delta_ratio;
    if (row.finds_from_ratio <= 0.0) continue;
    // Every step becomes slower, so that one gate that finds it is enough.
    trial.finds_from_ratio =
        std::min(row.finds_from_ratio, trial.finds_from_ratio.value_or(row.finds_from_ratio));
  }
  trial.processes = static_cast<int>(std::ranges::count_if(
      result.measurement.processes,
      [](const ProcessRecord& process) { return process.role != ProcessRole::control; }));
  return trial;
}

Status check_gates(const Assessed& assessed, const std::string& name) {
  if (assessed.configuration_errors.empty()) return {};
  Error error{.code = ErrorCode::invalid_config,
              .message = "a gate of " + name + " can never pass as it is written",
              .hint = "raise its tolerance to the figure given, or quieten the workload",
              .context = {}};
  for (const std::string& problem : assessed.configuration_errors) error.context += problem + "\n";
  return error;
}

/// Two sides, judged without a word of what the head carries: neither the request's texts nor the
/// fingerprint nor the run folder differ between the trials of a run.
Result<DrillTrial> run_trial(const Drilled& drilled, int run, int place, const Call& call) {
  const bool slower = (place == 0) == slower_first(call.seed, run);
  const double us = slower ? call.size_ratio * drilled.step_ms * 1e3 : 0.0;
  RunRequest request = drilled.ground.request;
  request.base = arm_with(drilled.ground.means, 0.0);
  request.head = arm_with(drilled.ground.means, us);
  request.run_folder = call.folder + "/trial-" + std::to_string(2 * run + place + 1);
  PG_ASSIGN_OR_RETURN(Assessed assessed, run_measured(request, call.context, call.ports));
  RunResult& result = assessed.result;
  PG_TRY(check_measured(result, call.ports));
  DrillTrial trial = unblinded(result, drilled, slower, run, place, call);
  result.measurement.notes.push_back("a drill, not a comparison of two programs: " +
                                     planted_words(trial));
  PG_TRY(write_reports(request, result, call.ports.files));
  PG_TRY(check_gates(assessed, request.spec.name));
  PG_ASSIGN_OR_RETURN(baselines::Store store, open_to_record(call.store, call.ports.environment));
  PG_TRY(baselines::record_drill(store, trial));
  return trial;
}

Result<std::vector<DrillReport>> stored_reports(const WorkloadSpec& spec,
                                                const baselines::Store& store) {
  PG_ASSIGN_OR_RETURN(const auto trials, baselines::drill_trials(store, spec.workload_digest));
  return drill_reports(trials);
}

/// Measures all trials; their exit codes go to `codes`. Returns the report of this environment.
Result<std::vector<DrillReport>> measure_trials(const WorkloadSpec& spec, const Call& call,
                                                std::vector<int>& codes) {
  PG_TRY(check_store_for_recording(call.store, call.ports.environment));
  PG_ASSIGN_OR_RETURN(const baselines::Planted means, means_of(spec));
  PG_TRY(check_means(means, call.context));
  const RunRequest request = request_of(spec, call);
  Drilled drilled{.ground = {.request = request, .folder = call.folder, .means = means}};
  PG_ASSIGN_OR_RETURN(drilled.step_ms, step_before(drilled.ground, call.context, call.ports));
  std::string environment;
  for (int trial = 0; trial < 2 * call.options.runs; ++trial) {
    PG_ASSIGN_OR_RETURN(const DrillTrial done, run_trial(drilled, trial / 2, trial % 2, call));
    show_progress(call.context.console, "");
    if (!call.options.json) PG_TRY(print_text(call.context.console, trial_line(done)));
    codes.push_back(exit_code(verdict_on(done)));
    environment = done.environment_key;
  }
  PG_ASSIGN_OR_RETURN(const baselines::Store store,
                      open_to_record(call.store, call.ports.environment));
  PG_ASSIGN_OR_RETURN(std::vector<DrillReport> reports, stored_reports(spec, store));
  std::erase_if(reports,
                [&](const DrillReport& report) { return report.environment_key != environment; });
  return reports;
}

Result<std::vector<DrillReport>> shown(const WorkloadSpec& spec, const Call& call) {
  if (!call.ports.files.exists(call.store)) {
    return Error{.code = ErrorCode::not_found,
                 .message = "there is no store at " + call.store,
                 .hint = "leave --show out to drill it: it makes one",
                 .context = {}};
  }
  PG_ASSIGN_OR_RETURN(const baselines::Store store,
                      baselines::Store::open(call.store, baselines::OpenMode::read,
                                             store_options(call.ports.environment)));
  PG_ASSIGN_OR_RETURN(std::vector<DrillReport> reports, stored_reports(spec, store));
  if (!reports.empty()) return reports;
  return Error{.code = ErrorCode::not_found,
               .message = "the store has no drill of " + spec.name + " as its file is now",
               .hint = "leave --show out to drill it",
               .context = {}};
}

Status print_reports(const std::vector<DrillReport>& reports, const Call& call) {
  const Console& console = call.context.console;
  if (call.options.json) {
    Json documents = Json::array();
    for (const DrillReport& report : reports) documents.push_back(drill_report_json(report));
    return print(json_text(documents));
  }
  for (const DrillReport& report : reports) {
    PG_TRY(print((call.options.show ? "" : "\n") +
                 drill_text(report, {console.colour, console.width, console.unicode})));
  }
  return {};
}

/// The errors are the caller's to print; `codes` are of the trials that were judged.
Status run_call(const Call& call, std::vector<int>& codes) {
  if (!call.options.show) PG_TRY(check_allowed(call.ports.environment));
  PG_ASSIGN_OR_RETURN(const WorkloadSpec spec,
                      read_workload(call.ports.files, call.options.file,
                                    call.context.installation.workloads_folder));
  PG_ASSIGN_OR_RETURN(const std::vector<DrillReport> reports,
                      call.options.show ? shown(spec, call) : measure_trials(spec, call, codes));
  return print_reports(reports, call);
}

}  // namespace

int drill(const DrillOptions& options, Context& context) {
  platform::SystemClock clock;
  platform::DiskFileSystem files;
  const platform::Environment environment = platform::own_environment();
  platform::Cancellation cancellation;
  const platform::InterruptScope interrupts(cancellation);
  const RunPorts ports{clock, files, environment, cancellation};
  const std::int64_t now_ns = clock.realtime_ns();
  Call call{.options = options,
            .context = context,
            .ports = ports,
            .store = store_location(environment, options.store),
            .utc = precise_utc(now_ns),
            .folder = files.absolute(".perfgate/drills/" + platform::format_utc_compact(now_ns) +
                                     "-" + std::to_string(::getpid())),
            .seed = static_cast<std::int64_t>(std::random_device{}())};
  std::vector<int> codes{kExitPass};
  const auto size = parse_drill_size(options.size);
  if (size.ok()) call.size_ratio = size.value();
  const Status done = size.ok() ? run_call(call, codes) : Status(size.error());
  if (!done.ok()) {
    show_progress(context.console, "");
    print_error(context.console, done.error());
    // As the commands that look into the store do.
    const bool nothing = options.show && done.error().code == ErrorCode::not_found;
    codes.push_back(nothing ? kExitUsage : exit_code(done.error().code));
  }
  return worst_exit_code(codes);
}

}  // namespace perfgate::cli
