#include "runner/cli/noise/noise_calibration.h"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include "baselines/noise_runs.h"
#include "runner/cli/noise/noise_report.h"
#include "runner/cli/print_text.h"
#include "runner/cli/run/recording.h"
#include "runner/cli/run/run_identity.h"
#include "runner/cli/run/run_request.h"
#include "runner/cli/store_access.h"
#include "runner/cli/workload_input.h"
#include "runner/model/outcome.h"

namespace perfgate::cli {
namespace {

struct Occasion {
  const NoiseOptions& options;
  Context& context;
  const RunPorts& ports;
  std::string store;
  std::string utc;     ///< of the call
  std::string folder;  ///< of the call's run folders; absolute
};

/// As recording is, with this command's own way out.
Status check_allowed(const platform::Environment& environment) {
  const Status allowed = check_may_record(environment);
  if (allowed.ok()) return {};
  Error error = allowed.error();
  error.hint = environment.get_non_empty("PERFGATE_INJECT")
                   ? "unset PERFGATE_INJECT: a planted fault is not how the program scatters"
                   : "calibrate in the job of the base branch, or by hand";
  return error;
}

/// As `perfgate run` measures before it looks at anything.
WorkloadSpec first_look(WorkloadSpec spec, bool traced) {
  if (!spec.timing.processes.empty()) spec.timing.processes = {spec.timing.processes.front()};
  if (!traced || spec.trace.processes.empty()) {
    spec.trace.processes = {0};
  } else {
    spec.trace.processes = {spec.trace.processes.front()};
  }
  return spec;
}

/// A run that is not one: nothing of it is kept.
Status check_usable(const RunResult& result, const Occasion& occasion) {
  const auto bad = [](std::string what) {
    return Error{.code = ErrorCode::invalid_measurement,
                 .message = "an A/A run cannot be used: " + std::move(what),
                 .hint = "mend it and call again; the runs before this one are kept",
                 .context = {}};
  };
  const auto& reasons = result.verdict.reasons;
  const auto found = std::ranges::find(reasons, "measurement_invalid", &Reason::code);
  if (found != reasons.end()) return bad(found->text);
  const CaptureVerdict& capture = result.analysis.capture;
  if (!occasion.options.traced || capture.validity == Validity::valid) return {};
  if (result.analysis.traced.empty()) return {};  // without a GPU nothing is traced
  return bad("its capture is " + std::string(to_string(capture.validity)) +
             (capture.reasons.empty() ? "" : ": " + capture.reasons.front()));
}

/// Measures run `number` and keeps its points; returns its environment.
Result<std::string> measure_run(const WorkloadSpec& spec, int number, const Occasion& occasion) {
  const NoiseOptions& options = occasion.options;
  RunRequest request;
  request.spec = first_look(spec, options.traced);
  request.run_folder = occasion.folder + "/" + spec.name + "-" + std::to_string(number + 1);
  request.gpu = options.gpu;
  request.store = occasion.store;
  request.branch = baseline_branch(occasion.ports.environment, {});
  request.calibration_folder = ".perfgate/calibration";
  request.replays = false;
  show_progress(occasion.context.console, spec.name + ": A/A run " + std::to_string(number + 1) +
                                              " of " + std::to_string(options.runs));
  PG_ASSIGN_OR_RETURN(const Assessed assessed,
                      run_measured(request, occasion.context, occasion.ports));
  if (occasion.ports.cancellation.cancelled()) {
    return Error{.code = ErrorCode::interrupted,
                 .message = "interrupted",
                 .hint = "the runs that had ended are kept",
                 .context = {}};
  }
  PG_TRY(check_usable(assessed.result, occasion));
  const auto points = noise_points_of(assessed.result, spec.workload_digest, occasion.utc, number,
                                      options.traced ? Points::all : Points::timed);
  PG_ASSIGN_OR_RETURN(baselines::Store store,
                      open_to_record(occasion.store, occasion.ports.environment));
  PG_TRY(baselines::record_noise(store, points));
  return baselines::environment_key(assessed.result.measurement.fingerprint);
}

/// What the store has of the workload by now, in all environments.
Result<std::vector<NoiseReport>> stored_reports(const WorkloadSpec& spec,
                                                const baselines::Store& store) {
  PG_ASSIGN_OR_RETURN(const auto points, baselines::noise_points(store, spec.workload_digest));
  return noise_reports(spec.name, points);
}

Result<std::vector<NoiseReport>> measure_occasion(const WorkloadSpec& spec,
                                                  const Occasion& occasion) {
  PG_TRY(check_store_for_recording(occasion.store, occasion.ports.environment));
  std::string environment;
  for (int run = 0; run < occasion.options.runs; ++run) {
    PG_ASSIGN_OR_RETURN(environment, measure_run(spec, run, occasion));
  }
  show_progress(occasion.context.console, "");
  PG_ASSIGN_OR_RETURN(baselines::Store store,
                      open_to_record(occasion.store, occasion.ports.environment));
  PG_ASSIGN_OR_RETURN(std::vector<NoiseReport> reports, stored_reports(spec, store));
  std::erase_if(reports,
                [&](const NoiseReport& report) { return report.environment_key != environment; });
  const std::string utc = platform::format_utc(occasion.ports.clock.realtime_ns());
  for (const NoiseReport& report : reports) {
    for (const auto& calibration : calibrations_from(report, utc)) {
      PG_TRY(baselines::calibrate(store, calibration));
    }
  }
  return reports;
}

Result<std::vector<NoiseReport>> shown(const WorkloadSpec& spec, const Occasion& occasion) {
  if (!occasion.ports.files.exists(occasion.store)) {
    return Error{.code = ErrorCode::not_found,
                 .message = "there is no store at " + occasion.store,
                 .hint = "leave --show out to measure one occasion: it makes one",
                 .context = {}};
  }
  PG_ASSIGN_OR_RETURN(const baselines::Store store,
                      baselines::Store::open(occasion.store, baselines::OpenMode::read,
                                             store_options(occasion.ports.environment)));
  PG_ASSIGN_OR_RETURN(std::vector<NoiseReport> reports, stored_reports(spec, store));
  if (!reports.empty()) return reports;
  return Error{.code = ErrorCode::not_found,
               .message = "the store has no A/A run of " + spec.name + " as its file is now",
               .hint = "leave --show out to measure one occasion",
               .context = {}};
}

/// One file; its reports are printed, or added to `documents` with --json.
Status calibrate_file(const std::string& path, const Occasion& occasion, Json& documents) {
  const Context& context = occasion.context;
  PG_ASSIGN_OR_RETURN(
      const WorkloadSpec spec,
      read_workload(occasion.ports.files, path, context.installation.workloads_folder));
  PG_ASSIGN_OR_RETURN(
      const std::vector<NoiseReport> reports,
      occasion.options.show ? shown(spec, occasion) : measure_occasion(spec, occasion));
  const Console& console = context.console;
  for (const NoiseReport& report : reports) {
    if (occasion.options.json) {
      documents.push_back(noise_json(report));
    } else {
      PG_TRY(print_text(console,
                        noise_text(report, {console.colour, console.width, console.unicode})));
    }
  }
  return {};
}

}  // namespace

int calibrate_noise(const NoiseOptions& options, Context& context) {
  platform::SystemClock clock;
  platform::DiskFileSystem files;
  const platform::Environment environment = platform::own_environment();
  platform::Cancellation cancellation;
  const platform::InterruptScope interrupts(cancellation);
  const auto fail = [&](const Error& error) {
    print_error(context.console, error);
    // As the commands that look into the store do.
    return options.show && error.code == ErrorCode::not_found ? kExitUsage : exit_code(error.code);
  };
  if (!options.show) {
    if (const Status allowed = check_allowed(environment); !allowed.ok())
      return fail(allowed.error());
  }
  const std::int64_t now_ns = clock.realtime_ns();
  const RunPorts ports{clock, files, environment, cancellation};
  const Occasion occasion{
      .options = options,
      .context = context,
      .ports = ports,
      .store = store_location(environment, options.store),
      .utc = precise_utc(now_ns),
      .folder = files.absolute(".perfgate/noise/" + platform::format_utc_compact(now_ns) + "-" +
                               std::to_string(::getpid()))};
  std::vector<int> codes;
  Json documents = Json::array();
  for (const std::string& path : options.files) {
    const Status done = calibrate_file(path, occasion, documents);
    codes.push_back(done.ok() ? kExitPass : fail(done.error()));
    if (codes.back() == kExitInterrupted) break;
  }
  const int code = worst_exit_code(codes);
  if (!options.json) return code;
  const Status printed = print(json_text(documents));
  return printed.ok() ? code : fail(printed.error());
}

}  // namespace perfgate::cli
