// perfgate init -- CMD: runs the command once with the NVTX half of the probe, sees what it leaves,
// and writes a commented workload file.
#include <charconv>
#include <cstring>
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
#include "runner/cli/print_text.h"
#include "runner/cli/run/seen_ranges.h"
#include "runner/cli/store_access.h"
#include "runner/cli/workload_input.h"
#include "runner/device/device_query.h"
#include "runner/device/fingerprint.h"
#include "runner/measure/run_folder.h"
#include "runner/model/median.h"
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
                                    const Machine& machine, const measure::ProcessPaths& paths) {
  platform::ProcessRequest request;
  request.argv = options.argv;
  request.environment = machine.environment.variables;
  request.environment["PERFGATE"] = "1";
  request.environment["PERFGATE_ROLE"] = "trace";
  request.environment["PERFGATE_WARMUP"] = std::to_string(StepsSpec().warmup);
  request.environment["PERFGATE_STEPS"] = std::to_string(StepsSpec().measure);
  request.environment["PERFGATE_RESULTS"] = paths.results;
  if (!context.installation.probe_library.empty()) {
    request.environment["NVTX_INJECTION64_PATH"] = context.installation.probe_library;
    request.environment["PERFGATE_CAPTURE_DIR"] = paths.captures;
    request.environment["PERFGATE_WINDOW"] = "ranges";
  }
  request.stdout_path = paths.standard_out;
  request.timeout_s = options.timeout_s;
  return request;
}

/// "python3 exited with code 3", "sleep was stopped after 2 s".
std::string end_of(const platform::ProcessOutcome& outcome, const InitOptions& options) {
  using End = platform::ProcessOutcome::End;
  const std::string& program = options.argv.front();
  switch (outcome.end) {
    case End::timed_out: {
      std::string seconds = std::to_string(options.timeout_s);
      seconds.erase(seconds.find_last_not_of('0') + 1);
      if (seconds.ends_with('.')) seconds.pop_back();
      return program + " was stopped after " + seconds + " s (--timeout)";
    }
    case End::signalled: {
      const char* name = ::sigabbrev_np(outcome.signal);
      return program + " was ended by " +
             (name == nullptr ? "signal " + std::to_string(outcome.signal)
                              : "SIG" + std::string(name));
    }
    default: return program + " exited with code " + std::to_string(outcome.exit_code);
  }
}

Status check_end(const platform::ProcessOutcome& outcome, const InitOptions& options) {
  if (outcome.end == platform::ProcessOutcome::End::interrupted) {
    return Error{
        .code = ErrorCode::interrupted, .message = "interrupted", .hint = {}, .context = {}};
  }
  if (outcome.end == platform::ProcessOutcome::End::exited && outcome.exit_code == 0) return {};
  const bool timed_out = outcome.end == platform::ProcessOutcome::End::timed_out;
  return Error{.code = ErrorCode::invalid_measurement,
               .message = end_of(outcome, options) + ", so no workload file was written",
               .hint = timed_out ? "give it more time with --timeout, or let it run fewer steps: "
                                   "PERFGATE_WARMUP and PERFGATE_STEPS say how many are wanted"
                                 : "make the command work on its own first",
               .context = outcome.stderr_tail};
}

/// Where the command runs, as seen from the folder of the file: empty where that is this folder.
std::string cwd_from(const std::string& out, const platform::FileSystem& files) {
  if (out.empty()) return {};
  const auto folder = std::filesystem::path(files.absolute(out)).parent_path();
  const std::string cwd =
      std::filesystem::path(files.absolute(".")).lexically_relative(folder).string();
  return cwd == "." ? std::string() : cwd;
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

workloads::SeenResults summary_of(const ProcessResults& results) {
  std::vector<double> times;
  for (const StepSample& step : results.steps) times.push_back(step.ms);
  return {static_cast<std::int64_t>(times.size()), median(times)};
}

/// Runs the command once, in a folder that goes again, and looks at what it left.
Result<workloads::TemplateInput> watch(const InitOptions& options, const Context& context,
                                       Machine& machine) {
  PG_TRY(device::check_no_other_injector(machine.environment.variables));
  const ScratchFolder scratch(
      machine.files.absolute(".perfgate/init-" + std::to_string(::getpid())));
  PG_TRY(ignore_in_git(machine.files, scratch.path()));
  const auto paths = measure::process_paths(scratch.path(), 0, ProcessRole::trace);
  PG_TRY(measure::make_process_folders(machine.files, paths, true));
  platform::SystemProcessRunner processes(machine.clock, machine.cancellation);
  PG_ASSIGN_OR_RETURN(const platform::ProcessOutcome outcome,
                      processes.run(request_of(options, context, machine, paths)));
  PG_TRY(check_end(outcome, options));
  ProcessRecord record;
  record.role = ProcessRole::trace;
  record.capture_files = measure::list_captures(machine.files, scratch.path(), 0);
  PG_ASSIGN_OR_RETURN(const std::vector<Capture> captures,
                      measure::load_captures(machine.files, scratch.path(), record));
  workloads::TemplateInput input;
  input.argv = options.argv;
  input.cwd = cwd_from(options.out, machine.files);
  input.name = options.name.empty() ? workloads::command_name(options.argv) : options.name;
  input.proposal = workloads::propose_step_range(seen_ranges(captures));
  if (machine.files.exists(paths.results)) {
    const auto results = measure::load_results(machine.files, paths.results);
    if (results.ok()) input.results = summary_of(results.value());
    if (!results.ok()) input.results_problem = results.error().message;
  }
  if (const auto printed = machine.files.read(paths.standard_out); printed.ok())
    input.output = workloads::find_step_times(printed.value());
  return input;
}

/// Where no GPU answers a run has to say that it needs none.
bool has_gpu(const Machine& machine) {
  const auto device = device::open_device_query(machine.clock, device::pid_view());
  return device->gpus().ok();
}

Status write_template(const InitOptions& options, const workloads::TemplateInput& input,
                      Machine& machine, const Console& console) {
  const std::string text = workloads::workload_template(input);
  if (options.out.empty()) return print(text);
  if (machine.files.exists(options.out)) {
    return Error{.code = ErrorCode::usage,
                 .message = options.out + " is there already",
                 .hint = "name another file with --out, or remove it",
                 .context = {}};
  }
  PG_TRY(machine.files.write(options.out, text));
  const std::string gpu = has_gpu(machine) ? "" : "--gpu none ";
  const std::string out = shown(options.out);
  return print_text(
      console, "wrote " + out + ": " + shown(workloads::proposal_summary(input)) + "\nnext: " +
                   (workloads::knows_step_times(input) ? "" : "complete `results` in it; then ") +
                   "perfgate validate " + out + ", then perfgate run " + gpu + out + "\n");
}

constexpr double kWeekS = 7.0 * 24 * 3600;

/// As CLI11 asks: empty for a good value. Its own ranges let NaN pass.
std::string seconds_problem(const std::string& text) {
  double seconds = 0.0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, seconds);
  const bool good = parsed.ec == std::errc{} && parsed.ptr == end && seconds > 0.0 &&
                    seconds <= kWeekS;  // false of NaN
  return good ? "" : "'" + text + "' is not a number of seconds above 0 and up to 604800 (a week)";
}

Status init(const InitOptions& options, const Context& context) {
  Machine machine;
  const platform::InterruptScope interrupts(machine.cancellation);
  if (context.installation.probe_library.empty()) {
    print_warning(context.console,
                  "libperfgate_probe.so is not beside this perfgate (built without CUDA), so NVTX "
                  "ranges are not seen");
  }
  PG_ASSIGN_OR_RETURN(const workloads::TemplateInput input, watch(options, context, machine));
  if (!workloads::knows_step_times(input)) {
    print_warning(context.console, workloads::proposal_summary(input));
  }
  return write_template(options, input, machine, context.console);
}

}  // namespace

void setup_init(CLI::App& app, Context& context, Action& action) {
  auto options = std::make_shared<InitOptions>();
  app.add_option("CMD", options->argv, "the command, after --")->required()->type_name("");
  app.add_option("--out", options->out, "file to write (default: standard output)")
      ->type_name("FILE");
  app.add_option("--name", options->name, "name of the workload (default: the script's)")
      ->type_name("NAME");
  app.add_option("--timeout", options->timeout_s, "seconds the command may take")
      ->check(CLI::Validator(seconds_problem, ""))
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
