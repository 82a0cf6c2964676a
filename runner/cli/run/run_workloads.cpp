#include "runner/cli/run/run_workloads.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <unistd.h>

#include "reporters/render/joint.h"
#include "reporters/render/result_json.h"
#include "reporters/render/terminal.h"
#include "runner/cli/accepts/accepts_input.h"
#include "runner/cli/post/post_results.h"
#include "runner/cli/result_input.h"
#include "runner/cli/run/arm.h"
#include "runner/cli/run/recording.h"
#include "runner/cli/run/run_identity.h"
#include "runner/cli/run/run_request.h"
#include "runner/cli/store_access.h"
#include "runner/cli/workload_input.h"
#include "runner/measure/claim_folder.h"
#include "runner/model/outcome.h"

namespace perfgate::cli {
namespace {

/// The words that measure this workload again; see RunResult::command.
std::vector<std::string> command_again(const RunOptions& options, const WorkloadSpec& spec) {
  std::vector<std::string> words{"perfgate", options.pairs ? "ab" : "run"};
  if (!options.is_command) words.push_back(spec.path);
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  };
  add("--base", options.base);
  add("--head", options.head);
  add("--range", options.range);
  if (options.gpu != "auto") add("--gpu", options.gpu);
  add("--store", options.store);
  add("--branch", options.branch);
  if (!options.is_command) return words;
  words.emplace_back("--");
  words.insert(words.end(), options.inputs.begin(), options.inputs.end());
  return words;
}

/// Everything one invocation shares between its workloads.
struct Session {
  platform::SystemClock clock;
  platform::DiskFileSystem files;
  platform::Environment environment = platform::own_environment();
  platform::Cancellation cancellation;
  /// With --json and several workloads: their result.json texts, printed as one document.
  std::vector<std::string> documents{};
  /// What was shown, one a workload, for the line that joins them.
  std::vector<render::JointRow> rows{};
  /// For --post: the run folders with a result, and what came to none.
  std::vector<std::string> folders{};
  std::vector<std::pair<std::string, Error>> failed{};

  [[nodiscard]] RunPorts ports() { return {clock, files, environment, cancellation}; }
};

std::string run_folder_name(const WorkloadSpec& spec, const platform::Clock& clock) {
  const std::int64_t now_ns = clock.realtime_ns();
  return spec.name + "-" + platform::format_utc_compact(now_ns) + "-" +
         std::to_string(now_ns % 1'000'000'000) + "-" + std::to_string(::getpid());
}

/// As a person in this folder types it.
std::string from_here(const std::string& folder, const platform::FileSystem& files) {
  std::string here = files.absolute(".");
  while (here.ends_with("/.") || here.ends_with("/")) here.erase(here.rfind('/'));
  return folder.starts_with(here + "/") ? folder.substr(here.size() + 1) : folder;
}

Result<RunRequest> make_request(WorkloadSpec spec, const RunOptions& options, Session& session,
                                bool several) {
  RunRequest request;
  request.in_session = options.pairs || !options.base.empty();
  request.pairs = options.pairs;
  PG_ASSIGN_OR_RETURN(request.base, parse_arm("--base", options.base, session.files));
  PG_ASSIGN_OR_RETURN(request.head, parse_arm("--head", options.head, session.files));
  const std::string own = run_folder_name(spec, session.clock);
  std::string folder = options.out.empty() ? ".perfgate/runs/" + own : options.out;
  if (several && !options.out.empty()) folder = platform::join_path(options.out, spec.name);
  request.run_folder = session.files.absolute(folder);
  request.gpu = options.gpu;
  request.store = store_location(session.environment, options.store);
  request.store_named = !options.store.empty();
  request.branch = baseline_branch(session.environment, options.branch);
  request.branch_named = !options.branch.empty();
  request.record = options.record;
  request.calibration_folder = ".perfgate/calibration";
  request.spec = std::move(spec);
  return request;
}

/// What contradicts itself on the command line, found before anything is read.
Status check_options(const RunOptions& options, const Context& context, const Session& session) {
  const auto wrong = [](std::string message, std::string hint) {
    return Error{.code = ErrorCode::usage,
                 .message = std::move(message),
                 .hint = std::move(hint),
                 .context = {}};
  };
  if (options.record) PG_TRY(check_may_record(session.environment));
  if (options.record && !options.replay.empty()) {
    return wrong("--record and --replay: a replayed run is never a baseline",
                 "leave one of them out");
  }
  if (!options.base.empty() && (options.record || !options.replay.empty())) {
    return wrong(std::string("--base and ") + (options.record ? "--record" : "--replay") +
                     ": a comparison in one session is measured, and is no point of the baseline",
                 "leave one of them out");
  }
  if (options.is_command && context.after_dashes != options.inputs.size()) {
    return wrong("both a workload file and a command after -- are named",
                 "run them one after the other");
  }
  if (!options.is_command && !options.range.empty()) {
    return wrong("--range is for a command after --",
                 "in a workload file, write steps: {range: ...}");
  }
  return {};
}

/// The store and the run folders keep workloads by name.
Status check_names(const std::vector<WorkloadSpec>& specs) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (specs[i].name != specs[j].name) continue;
      return Error{.code = ErrorCode::usage,
                   .message = specs[j].path + " and " + specs[i].path + " are both named '" +
                              specs[i].name + "'",
                   .hint = "give each workload a name of its own, or run them one by one",
                   .context = {}};
    }
  }
  return {};
}

/// A run inside a recording would be a part of it from then on.
Status check_outside(const std::string& folder, const std::string& recording) {
  if (!(folder + "/").starts_with(recording + "/")) return {};
  return Error{.code = ErrorCode::usage,
               .message = "--out '" + folder + "' lies in the recording that is replayed",
               .hint = "name a folder outside of it",
               .context = {}};
}

/// "decode_8b, gemm_8k": the workloads whose recorded run is installed.
std::string recorded_names(const std::string& workloads, const platform::FileSystem& files) {
  const std::string folder = platform::join_path(workloads, "recordings");
  const auto entries = files.list(folder);
  std::string names;
  if (!entries.ok()) return names;
  for (const platform::FolderEntry& entry : entries.value()) {
    if (!files.exists(folder + "/" + entry.name + "/candidate/result.json")) continue;
    names += (names.empty() ? "" : ", ") + entry.name;
  }
  return names;
}

Result<std::string> resolve_recording(const std::string& named, const WorkloadSpec& spec,
                                      const Context& context, const platform::FileSystem& files) {
  if (named != "auto") return files.absolute(named);
  if (context.installation.workloads_folder.empty()) {
    return Error{.code = ErrorCode::not_found,
                 .message = "perfgate does not find its own share/perfgate/workloads",
                 .hint =
                     "keep bin/, lib/ and share/ together, and mount /proc; or name a run "
                     "folder with --replay DIR",
                 .context = {}};
  }
  const std::string folder = platform::join_path(context.installation.workloads_folder,
                                                 "recordings/" + spec.name + "/candidate");
  if (files.exists(folder + "/result.json")) return folder;
  const std::string names = recorded_names(context.installation.workloads_folder, files);
  return Error{.code = ErrorCode::not_found,
               .message = "no recorded run of '" + spec.name + "' comes with this perfgate",
               .hint = (names.empty() ? "it has no recordings at all" : "recorded are " + names) +
                       "; --replay DIR takes any run folder",
               .context = {}};
}

Result<Assessed> execute(const RunRequest& request, const RunOptions& options, Context& context,
                         Session& session) {
  PG_TRY(measure::check_empty(session.files, request.run_folder));
  if (options.record) PG_TRY(check_store_for_recording(request.store, session.environment));
  if (options.replay.empty()) return run_measured(request, context, session.ports());
  PG_ASSIGN_OR_RETURN(const std::string recording,
                      resolve_recording(options.replay, request.spec, context, session.files));
  PG_TRY(check_outside(request.run_folder, recording));
  PG_TRY(ignore_in_git(session.files, request.run_folder));
  PG_TRY(measure::claim_folder(session.files, request.run_folder));
  return run_replayed(request, recording, session.ports());
}

/// Ctrl-C after the last process ended: nothing is recorded and no verdict is given.
Status check_interrupt(const Session& session, const RunRequest& request) {
  if (!session.cancellation.cancelled()) return {};
  return Error{.code = ErrorCode::interrupted,
               .message = "interrupted before the verdict",
               .hint = "what was measured is in " + request.run_folder,
               .context = {}};
}

/// One document for several workloads: {"exit_code": N, "results": [result.json, ...]}.
std::string joint_document(const std::vector<std::string>& documents, int code) {
  std::string text = "{\"exit_code\": " + std::to_string(code) + ",\n\"results\": [";
  for (std::size_t i = 0; i < documents.size(); ++i) {
    text += (i == 0 ? "\n" : ",\n") + documents[i];
  }
  return text + "]}\n";
}

Status show(const RunRequest& request, const RunResult& result, const RunOptions& options,
            const Console& console, Session& session) {
  if (options.json && options.inputs.size() > 1 && !options.is_command) {
    session.documents.push_back(render::to_result_json(result));
    return {};
  }
  if (options.json) return print(render::to_result_json(result));
  session.rows.push_back({request.run_folder, result.verdict.outcome, ""});
  PG_TRY(print(render::render_terminal(result, {console.colour, console.width, console.unicode})));
  PG_TRY(print("\nreport " + shown(request.run_folder) + "/report.md\n"));
  return result.recorded.empty() ? Status() : print(shown(result.recorded) + "\n");
}

/// A store that fails now does not cost the measurement: the run folder, which is written by now,
/// can be recorded later. Where it was stored goes into the reports.
Status record(const RunRequest& request, RunResult& result, const Console& console,
              Session& session) {
  auto recorded =
      record_result(request.store, result, request.spec.workload_digest, session.environment);
  if (recorded.ok()) {
    result.recorded = recorded.value().said;
    for (const std::string& warning : recorded.value().warnings) print_warning(console, warning);
    return with_record(write_reports(request, result, session.files), recorded.value());
  }
  Error error = std::move(recorded).error();
  if (error.code != ErrorCode::usage && error.code != ErrorCode::invalid_measurement) {
    error.hint += (error.hint.empty() ? "" : "; ");
    error.hint += "then record the run, which is kept: perfgate baseline import " +
                  request.run_folder + " --store " + request.store;
  }
  return error;
}

Status configuration_status(const WorkloadSpec& spec, const std::vector<std::string>& problems) {
  if (problems.empty()) return {};
  Error error{.code = ErrorCode::invalid_config,
              .message = "a gate of " + spec.name + " can never pass as it is written",
              .hint = "raise its tolerance to the figure given, or quieten the workload",
              .context = {}};
  for (const std::string& problem : problems) error.context += problem + "\n";
  return error;
}

/// After several workloads: the worst, and how many there are of each. `codes` is one a row.
Status show_joint(const std::vector<render::JointRow>& shown, const std::vector<int>& codes,
                  const Console& console) {
  std::vector<std::pair<Weight, const render::JointRow*>> order;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const Outcome* outcome = std::get_if<Outcome>(&shown[i].verdict);
    order.push_back(
        {{codes[i], outcome == nullptr ? std::nullopt : std::optional(*outcome)}, &shown[i]});
  }
  std::ranges::stable_sort(order, is_worse, &std::pair<Weight, const render::JointRow*>::first);
  std::vector<render::JointRow> rows;
  for (const auto& [weight, row] : order) rows.push_back(*row);
  return print("\n" + render::joint_line(rows, {console.colour, console.width, console.unicode}));
}

/// One workload from spec to exit code; everything it says is printed here.
Result<int> run_one(const RunRequest& request, const RunOptions& options, Context& context,
                    Session& session) {
  PG_ASSIGN_OR_RETURN(Assessed assessed, execute(request, options, context, session));
  PG_TRY(check_interrupt(session, request));
  RunResult& result = assessed.result;
  // A replay knows the words that measured it.
  if (result.command.empty()) result.command = command_again(options, request.spec);
  result.folder = from_here(request.run_folder, session.files);
  apply_accepts(result, request.accepts, today_utc(session.clock));
  ExitPolicy policy = exit_policy(options.policy);
  // A policy that was asked for counts, here as when `gate` reads the result.
  if (options.record && result.verdict.outcome == Outcome::no_baseline &&
      options.policy.on_no_baseline.empty()) {
    policy.on_no_baseline = UndecidedPolicy::pass;
    result.verdict.policies.emplace_back(
        result.baseline.no_ancestor
            ? "--record: no recorded run is of an ancestor of this commit; its own line begins here"
            : "--record: the first run of this workload becomes its baseline");
  }
  const bool never_passes = can_never_pass(result.verdict);
  if (options.record && !never_passes && lacks_history(result) &&
      options.policy.on_inconclusive.empty()) {
    policy.on_inconclusive = UndecidedPolicy::pass;
    result.verdict.policies.emplace_back(
        "--record: the store is too short to judge by, and this run fills it");
  }
  if (!never_passes) describe_policy(options.policy, result.verdict);
  PG_TRY(write_reports(request, result, session.files));
  session.folders.push_back(request.run_folder);
  // Before the report is shown: a full log or a closed pipe does not cost the record.
  const Status recorded =
      options.record ? record(request, result, context.console, session) : Status();
  const Status shown = show(request, result, options, context.console, session);
  PG_TRY(recorded);
  PG_TRY(result.recorded.empty() ? shown : with_record(shown, {.said = result.recorded}));
  if (never_passes) PG_TRY(configuration_status(request.spec, assessed.configuration_errors));
  return exit_code(result.verdict.outcome, policy);
}

Result<std::vector<WorkloadSpec>> read_specs(const RunOptions& options, const Context& context,
                                             const Session& session) {
  std::vector<WorkloadSpec> specs;
  if (options.is_command) {
    PG_ASSIGN_OR_RETURN(WorkloadSpec spec, workload_of_command(options.inputs, options.range));
    specs.push_back(std::move(spec));
    return specs;
  }
  for (const std::string& path : options.inputs) {
    PG_ASSIGN_OR_RETURN(WorkloadSpec spec,
                        read_workload(session.files, path, context.installation.workloads_folder));
    specs.push_back(std::move(spec));
  }
  PG_TRY(check_names(specs));
  return specs;
}

/// What ran, each with the verdict of its own report, as the exit code has it.
int post_session(const Session& session, int code, const RunOptions& options,
                 const Context& context) {
  if (!options.post || code == kExitInterrupted) return code;
  JointVerdict joint = judge_each(session.files, session.folders, options.policy);
  for (RunResult& result : joint.results) result.folder = from_here(result.folder, session.files);
  for (const auto& [workload, error] : session.failed) add_failed(joint, workload, error);
  PostFlags flags;
  flags.quiet = options.json;
  return post_verdict(std::move(joint), code, flags, context);
}

}  // namespace

int run_workloads(RunOptions options, Context& context) {
  // `workloads/*.yaml` names the file of accepts too, which is read beside the others.
  if (!options.is_command && options.inputs.size() > 1)
    std::erase_if(options.inputs, names_accepts);
  Session session;
  const platform::InterruptScope interrupts(session.cancellation);
  const auto fail = [&](const Error& error) {
    print_error(context.console, error);
    return exit_code(error.code);
  };
  if (const Status sound = check_options(options, context, session); !sound.ok())
    return fail(sound.error());
  auto specs = read_specs(options, context, session);  // all files are checked before anything runs
  if (!specs.ok()) return fail(specs.error());
  auto accepts = read_accepts(session.files, specs.value(), today_utc(session.clock));
  if (!accepts.ok()) return fail(accepts.error());
  std::vector<std::string> names;
  for (const WorkloadSpec& spec : specs.value()) names.push_back(spec.name);
  std::vector<int> codes;
  const bool several = specs.value().size() > 1;
  for (std::size_t i = 0; i < specs.value().size(); ++i) {
    auto request = make_request(std::move(specs.value()[i]), options, session, several);
    if (request.ok()) request.value().accepts = std::move(accepts.value()[i]);
    const Result<int> code = request.ok() ? run_one(request.value(), options, context, session)
                                          : Result<int>(request.error());
    if (!code.ok()) {
      // An error outweighs what its report said.
      session.rows.resize(std::min(session.rows.size(), i));
      session.rows.push_back({options.inputs[i], render::NoResult::error, ""});
      session.failed.emplace_back(names[i], code.error());
    }
    codes.push_back(code.ok() ? code.value() : fail(code.error()));
    if (codes.back() == kExitInterrupted) break;
  }
  const int code = post_session(session, worst_exit_code(codes), options, context);
  if (!several || (!options.json && code == kExitInterrupted)) return code;
  const Status printed = options.json ? print(joint_document(session.documents, code))
                                      : show_joint(session.rows, codes, context.console);
  return printed.ok() ? code : fail(printed.error());
}

}  // namespace perfgate::cli
