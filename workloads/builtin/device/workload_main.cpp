// perfgate-workload: reads the command line and the environment, runs one action, and turns errors
// into a sentence and an exit code.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "runner/results/results_file.h"
#include "workloads/builtin/command_line.h"
#include "workloads/builtin/device/kinds.h"
#include "workloads/builtin/reference_run.h"
#include "workloads/builtin/run_request.h"

namespace perfgate::builtin {
namespace {

constexpr int kExitDone = 0;
constexpr int kExitBadUsage = 2;
constexpr int kExitNoGpu = 3;
constexpr int kExitFailed = 4;

int exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
    case ErrorCode::invalid_config: return kExitBadUsage;
    case ErrorCode::unavailable: return kExitNoGpu;
    default: return kExitFailed;
  }
}

int report(const Error& error) {
  std::fprintf(stderr, "perfgate-workload: %s\n", error.message.c_str());
  if (!error.context.empty()) std::fprintf(stderr, "  %s\n", error.context.c_str());
  if (!error.hint.empty()) std::fprintf(stderr, "  hint: %s\n", error.hint.c_str());
  return exit_code_of(error.code);
}

const char* environment(const char* name) {
  return std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread starts
}

std::string environment_text(const char* name) {
  const char* value = environment(name);
  return value == nullptr ? std::string() : std::string(value);
}

/// Where tuning files are looked for: beside an installed binary, then in a checkout that is the
/// working folder.
std::vector<std::string> tuning_folders() {
  std::error_code problem;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", problem);
  std::vector<std::string> folders;
  if (!problem) {
    folders.push_back(
        (executable.parent_path().parent_path() / "share/perfgate/workloads/tuning").string());
  }
  folders.emplace_back("workloads/tuning");
  return folders;
}

Result<RunRequest> make_request(const CommandLine& command) {
  RunRequest request;
  request.kind = workloads::find_kind(command.kind);
  if (request.kind == nullptr) {
    return Error{ErrorCode::usage, "there is no kind of workload '" + command.kind + "'",
                 "see `perfgate-workload list`", ""};
  }
  PG_ASSIGN_OR_RETURN(request.parameters, Parameters::parse(*request.kind, command.parameters));
  std::vector<std::string> faults = command.faults;
  if (command.action == Action::run) {
    for (std::string& fault : split_faults(environment("PERFGATE_INJECT")))
      faults.push_back(std::move(fault));
  }
  PG_ASSIGN_OR_RETURN(request.faults, parse_faults(faults));
  PG_TRY(read_step_counts(environment("PERFGATE_WARMUP"), environment("PERFGATE_STEPS"), request));
  if (command.action == Action::tune || command.action == Action::reference) return request;
  const std::string chosen =
      command.tuning.empty() ? environment_text("PERFGATE_TUNING") : command.tuning;
  PG_ASSIGN_OR_RETURN(request.tuning, load_tuning(chosen, tuning_folders()));
  return request;
}

Status run(const RunRequest& request) {
  PG_ASSIGN_OR_RETURN(const ProcessResults results, run_kind(request));
  const std::string path = environment_text("PERFGATE_RESULTS");
  if (!path.empty()) return write_atomically(path, results::write_results(results));
  std::fputs(summary_text(results).c_str(), stdout);
  return {};
}

/// Merges what was found into the file, which may not exist yet.
Status tune(const RunRequest& request, const std::string& path) {
  TuningTable table;
  std::error_code problem;
  if (std::filesystem::exists(path, problem)) {
    PG_ASSIGN_OR_RETURN(table, load_tuning(path, {}));
  }
  PG_ASSIGN_OR_RETURN(const TuningTable found, tune_kind(request));
  table.merge(found);
  return write_atomically(path, table.serialize());
}

Status act(const CommandLine& command) {
  if (command.action == Action::help || command.action == Action::list) {
    std::fputs((command.action == Action::help ? help_text() : list_text()).c_str(), stdout);
    return {};
  }
  PG_ASSIGN_OR_RETURN(const RunRequest request, make_request(command));
  if (command.action == Action::tune) return tune(request, command.tuning);
  if (command.action == Action::check) return check_kind(request);
  if (command.action == Action::reference) {
    PG_ASSIGN_OR_RETURN(const std::string tokens, reference_tokens(request));
    std::fputs(tokens.c_str(), stdout);
    return {};
  }
  return run(request);
}

int main_with(const std::vector<std::string>& arguments) {
  const auto command = parse_command_line(arguments);
  if (!command.ok()) return report(command.error());
  const Status done = act(command.value());
  return done.ok() ? kExitDone : report(done.error());
}

}  // namespace
}  // namespace perfgate::builtin

int main(int count, char** words) {
  return perfgate::builtin::main_with(std::vector<std::string>(words + 1, words + count));
}
