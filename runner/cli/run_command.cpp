// perfgate run: measure (or replay), judge, report, exit with the verdict.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "baselines/record.h"
#include "reporters/render/terminal.h"
#include "runner/cli/command.h"
#include "runner/cli/commands.h"
#include "runner/cli/policy.h"
#include "runner/cli/run_identity.h"
#include "runner/cli/run_request.h"
#include "runner/cli/store_access.h"
#include "runner/cli/workload_input.h"
#include "runner/model/outcome.h"

namespace perfgate::cli {
namespace {

struct RunOptions {
  std::vector<std::string> inputs;  ///< workload files, or the command after --
  std::string range;
  std::string replay;
  std::string out;
  std::string gpu = "auto";
  std::string store;
  std::string branch;
  bool record = false;
  bool is_command = false;
  bool json = false;
  PolicyOptions policy;
};

/// Everything one invocation shares between its workloads.
struct Session {
  platform::SystemClock clock;
  platform::DiskFileSystem files;
  platform::Environment environment = platform::own_environment();
  platform::Cancellation cancellation;

  [[nodiscard]] RunPorts ports() { return {clock, files, environment, cancellation}; }
};

std::string run_folder_name(const WorkloadSpec& spec, const platform::Clock& clock) {
  return spec.name + "-" + platform::format_utc_compact(clock.realtime_ns()) + "-" +
         std::to_string(::getpid());
}

RunRequest make_request(WorkloadSpec spec, const RunOptions& options, Session& session,
                        bool several) {
  RunRequest request;
  const std::string own = run_folder_name(spec, session.clock);
  std::string folder = options.out.empty() ? ".perfgate/runs/" + own : options.out;
  if (several && !options.out.empty()) folder = platform::join_path(options.out, spec.name);
  request.run_folder = session.files.absolute(folder);
  request.gpu = options.gpu;
  request.store = store_location(session.environment, options.store);
  request.branch = baseline_branch(session.environment, options.branch);
  request.calibration_folder = ".perfgate/calibration";
  request.spec = std::move(spec);
  return request;
}

Status check_record(const RunOptions& options, const Session& session) {
  if (!options.record || !is_pull_request(session.environment)) return {};
  return Error{
      .code = ErrorCode::usage,
      .message =
          "--record is refused in a pull-request event: a pull request never writes baselines",
      .hint = "record in the job of the base branch; here, leave --record out",
      .context = {}};
}

Status check_recordable_result(const Assessed& assessed) {
  const RunResult& result = assessed.result;
  if (result.verdict.outcome == Outcome::invalid) {
    return Error{.code = ErrorCode::invalid_measurement,
                 .message = "an invalid run is not recorded",
                 .hint = "see the reasons above; nothing was written to the store",
                 .context = {}};
  }
  if (result.source != RunSource::measured) {
    return Error{
        .code = ErrorCode::usage,
        .message = "a replayed run is not recorded: it would serve measured runs as baseline",
        .hint = "leave --record out",
        .context = {}};
  }
  return {};
}

Result<std::string> record_result(const RunRequest& request, const RunResult& result,
                                  const Session& session) {
  PG_ASSIGN_OR_RETURN(baselines::Store store,
                      baselines::Store::open(request.store, baselines::OpenMode::record,
                                             store_options(session.environment)));
  PG_ASSIGN_OR_RETURN(const baselines::RecordOutcome outcome,
                      baselines::record(store, result, request.spec.workload_digest));
  const std::string what = outcome.was_there ? "was already in " : "recorded in ";
  return "run " + std::to_string(outcome.run) + " " + what + request.store + "\n";
}

Result<std::string> resolve_recording(const std::string& named, const WorkloadSpec& spec,
                                      const Context& context, const platform::FileSystem& files) {
  if (named != "auto") return files.absolute(named);
  const std::string folder = platform::join_path(context.installation.workloads_folder,
                                                 "recordings/" + spec.name + "/candidate");
  if (!context.installation.workloads_folder.empty() && files.exists(folder + "/result.json"))
    return folder;
  return Error{
      .code = ErrorCode::not_found,
      .message = "there is no GPU here, and no recorded run of '" + spec.name + "' to replay",
      .hint =
          "recorded are the workloads named in workloads/recordings; or name a run folder with "
          "--replay DIR",
      .context = {}};
}

Result<Assessed> execute(const RunRequest& request, const RunOptions& options, Context& context,
                         Session& session) {
  PG_TRY(session.files.make_folders(request.run_folder));
  if (options.replay.empty()) return run_measured(request, context, session.ports());
  PG_ASSIGN_OR_RETURN(const std::string recording,
                      resolve_recording(options.replay, request.spec, context, session.files));
  return run_replayed(request, recording, session.ports());
}

/// One workload from spec to exit code; everything it says is printed here.
Result<int> run_one(const RunRequest& request, const RunOptions& options, Context& context,
                    Session& session) {
  PG_ASSIGN_OR_RETURN(Assessed assessed, execute(request, options, context, session));
  RunResult& result = assessed.result;
  ExitPolicy policy = exit_policy(options.policy);
  if (options.record && result.verdict.outcome == Outcome::no_baseline) {
    policy.on_no_baseline = UndecidedPolicy::pass;
    result.verdict.policies.emplace_back(
        "--record: the first run of this workload becomes its baseline");
  }
  describe_policy(options.policy, result.verdict);
  PG_TRY(write_reports(request, result, session.files));
  const Console& console = context.console;
  PG_TRY(print(render::render_terminal(result, {console.colour, console.width, console.unicode})));
  PG_TRY(print("\nreport " + request.run_folder + "/report.md\n"));
  if (options.record) {
    PG_TRY(check_recordable_result(assessed));
    PG_ASSIGN_OR_RETURN(const std::string said, record_result(request, result, session));
    PG_TRY(print(said));
  }
  if (!assessed.configuration_errors.empty()) {
    Error error{.code = ErrorCode::invalid_config,
                .message = "a gate of " + request.spec.name + " can never pass as it is written",
                .hint = "raise its tolerance to the figure given, or measure more processes",
                .context = {}};
    for (const std::string& problem : assessed.configuration_errors)
      error.context += problem + "\n";
    return error;
  }
  return exit_code(result.verdict.outcome, policy);
}

Result<std::vector<WorkloadSpec>> read_specs(const RunOptions& options, const Session& session) {
  std::vector<WorkloadSpec> specs;
  if (options.is_command) {
    PG_ASSIGN_OR_RETURN(WorkloadSpec spec, workload_of_command(options.inputs, options.range));
    specs.push_back(std::move(spec));
    return specs;
  }
  for (const std::string& path : options.inputs) {
    PG_ASSIGN_OR_RETURN(WorkloadSpec spec, read_workload(session.files, path));
    specs.push_back(std::move(spec));
  }
  return specs;
}

int run_all(const RunOptions& options, Context& context) {
  Session session;
  const platform::InterruptScope interrupts(session.cancellation);
  const auto fail = [&](const Error& error) {
    print_error(context.console, error);
    return exit_code(error.code);
  };
  if (const Status allowed = check_record(options, session); !allowed.ok())
    return fail(allowed.error());
  auto specs = read_specs(options, session);  // all files are checked before anything runs
  if (!specs.ok()) return fail(specs.error());
  std::vector<int> codes;
  const bool several = specs.value().size() > 1;
  for (WorkloadSpec& spec : specs.value()) {
    const RunRequest request = make_request(std::move(spec), options, session, several);
    const Result<int> code = run_one(request, options, context, session);
    codes.push_back(code.ok() ? code.value() : fail(code.error()));
    if (codes.back() == kExitInterrupted) break;
  }
  return worst_exit_code(codes);
}

}  // namespace

void setup_run(CLI::App& app, Context& context, Action& action) {
  auto options = std::make_shared<RunOptions>();
  app.add_option("FILE", options->inputs, "workload files; or, after --, a command to run")
      ->required();
  app.add_option("--range", options->range, "with a command: NVTX range (glob) that is one step");
  app.add_option("--out", options->out, "run folder (default .perfgate/runs/NAME-UTC-ID)");
  app.add_option("--gpu", options->gpu, "auto, an index, a UUID, or none")->capture_default_str();
  app.add_option("--store", options->store,
                 "baseline store (default PERFGATE_STORE, .perfgate/perfgate.db)");
  app.add_option("--branch", options->branch,
                 "branch of the baseline (default the PR's base, else main)");
  app.add_flag("--record", options->record, "store this run as a point of the baseline");
  app.add_option("--replay", options->replay, "judge a recorded run: its folder, or auto");
  add_policy_options(app, options->policy);
  app.callback([&context, &action, options] {
    options->is_command = context.command_after_dashes;
    action = [options, &context] { return run_all(*options, context); };
  });
}

}  // namespace perfgate::cli
