// perfgate init -- CMD: runs the command once with the NVTX half of the probe and writes a
// commented workload file.
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "runner/cli/command.h"
#include "runner/cli/commands.h"
#include "runner/cli/seen_ranges.h"
#include "runner/cli/workload_input.h"
#include "runner/device/fingerprint.h"
#include "runner/measure/run_folder.h"
#include "runner/model/outcome.h"
#include "runner/platform/process.h"
#include "workloads/spec/propose.h"
#include "workloads/spec/template.h"

namespace perfgate::cli {
namespace {

struct InitOptions {
  std::vector<std::string> argv;
  std::string out;
  std::string name;
  double timeout_s = 600.0;
};

struct Machine {
  platform::SystemClock clock;
  platform::DiskFileSystem files;
  platform::Environment environment = platform::own_environment();
  platform::Cancellation cancellation;
};

platform::ProcessRequest request_of(const InitOptions& options, const Context& context,
                                    const Machine& machine, const std::string& captures) {
  platform::ProcessRequest request;
  request.argv = options.argv;
  request.environment = machine.environment.variables;
  request.environment["PERFGATE"] = "1";
  request.environment["PERFGATE_ROLE"] = "trace";
  request.environment["PERFGATE_WARMUP"] = std::to_string(StepsSpec().warmup);
  request.environment["PERFGATE_STEPS"] = std::to_string(StepsSpec().measure);
  request.environment["NVTX_INJECTION64_PATH"] = context.installation.probe_library;
  request.environment["PERFGATE_CAPTURE_DIR"] = captures;
  request.environment["PERFGATE_WINDOW"] = "ranges";
  request.timeout_s = options.timeout_s;
  return request;
}

Status check_end(const platform::ProcessOutcome& outcome, const std::string& program) {
  if (outcome.end == platform::ProcessOutcome::End::interrupted) {
    return Error{
        .code = ErrorCode::interrupted, .message = "interrupted", .hint = {}, .context = {}};
  }
  if (outcome.end == platform::ProcessOutcome::End::exited && outcome.exit_code == 0) return {};
  return Error{
      .code = ErrorCode::invalid_measurement,
      .message = program + " did not end well, so no workload file was written",
      .hint = "make the command work on its own first; --timeout sets how long it may take",
      .context = outcome.stderr_tail};
}

/// A folder of its own that goes with this object.
class ScratchFolder {
 public:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code left_behind;
    std::filesystem::remove_all(path_, left_behind);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Runs the command once; every capture that its processes left.
Result<std::vector<Capture>> watch(const InitOptions& options, const Context& context,
                                   Machine& machine) {
  PG_TRY(device::check_no_other_injector(machine.environment.variables));
  const std::string folder = machine.files.absolute(".perfgate/init-" + std::to_string(::getpid()));
  const auto paths = measure::process_paths(folder, 0, ProcessRole::trace);
  PG_TRY(measure::make_process_folders(machine.files, paths, true));
  platform::SystemProcessRunner processes(machine.clock, machine.cancellation);
  PG_ASSIGN_OR_RETURN(const platform::ProcessOutcome outcome,
                      processes.run(request_of(options, context, machine, paths.captures)));
  PG_TRY(check_end(outcome, options.argv.front()));
  ProcessRecord record;
  record.role = ProcessRole::trace;
  record.capture_files = measure::list_captures(machine.files, folder, 0);
  return measure::load_captures(machine.files, folder, record);
}

Status write_template(const InitOptions& options, const std::string& text, Machine& machine) {
  if (options.out.empty()) return print(text);
  if (machine.files.exists(options.out)) {
    return Error{.code = ErrorCode::usage,
                 .message = options.out + " is there already",
                 .hint = "name another file with --out, or remove it",
                 .context = {}};
  }
  PG_TRY(machine.files.write(options.out, text));
  return print("wrote " + options.out + "\nnext: perfgate validate " + options.out +
               ", then perfgate run " + options.out + "\n");
}

Status init(const InitOptions& options, const Context& context) {
  Machine machine;
  const platform::InterruptScope interrupts(machine.cancellation);
  if (context.installation.probe_library.empty()) {
    return Error{
        .code = ErrorCode::unavailable,
        .message = "this perfgate was built without CUDA: libperfgate_probe.so is not beside it",
        .hint = "install a package with the probe, or build with the CUDA toolkit",
        .context = {}};
  }
  PG_ASSIGN_OR_RETURN(const std::vector<Capture> captures, watch(options, context, machine));
  workloads::TemplateInput input;
  input.name = options.name.empty() ? options.argv.front() : options.name;
  input.argv = options.argv;
  const std::vector<workloads::SeenRange> seen = seen_ranges(captures);
  input.proposal = workloads::propose_step_range(seen);
  print_warning(context.console, input.proposal.reason);
  return write_template(options, workloads::workload_template(input), machine);
}

}  // namespace

void setup_init(CLI::App& app, Context& context, Action& action) {
  auto options = std::make_shared<InitOptions>();
  app.add_option("CMD", options->argv, "the command, after --")->required()->type_name("");
  app.add_option("--out", options->out, "file to write (default: standard output)")
      ->type_name("FILE");
  app.add_option("--name", options->name, "name of the workload (default: the program's)")
      ->type_name("NAME");
  app.add_option("--timeout", options->timeout_s, "seconds the command may take")
      ->type_name("S")
      ->capture_default_str();
  app.callback([options, &context, &action] {
    action = [options, &context] {
      const Status done = init(*options, context);
      if (done.ok()) return kExitPass;
      print_error(context.console, done.error());
      return exit_code(done.error().code);
    };
  });
}

}  // namespace perfgate::cli
