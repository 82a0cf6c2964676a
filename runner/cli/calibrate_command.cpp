// perfgate calibrate: what this GPU reaches, kept per GPU and driver beside the store; with
// --noise, how far runs of a workload scatter.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "reporters/render/units.h"
#include "runner/cli/command.h"
#include "runner/cli/commands.h"
#include "runner/cli/noise/noise_calibration.h"
#include "runner/cli/store_access.h"
#include "runner/device/calibration.h"
#include "runner/device/device_query.h"
#include "runner/measure/run_folder.h"
#include "runner/model/outcome.h"
#include "runner/platform/gpu_lock.h"
#include "runner/platform/process.h"

namespace perfgate::cli {
namespace {

constexpr double kTimeoutS = 120.0;

struct CalibrateOptions {
  std::string gpu = "auto";
  int processes = 5;
  std::string out = ".perfgate/calibration";
};

/// One fresh process of `perfgate-workload control`.
Result<ProcessResults> run_control(const std::string& program, const std::string& uuid,
                                   const std::string& results_path,
                                   const platform::Environment& environment,
                                   platform::ProcessRunner& processes,
                                   const platform::FileSystem& files) {
  platform::ProcessRequest request;
  request.argv = {program, "control"};
  request.environment = environment.variables;
  request.environment["CUDA_VISIBLE_DEVICES"] = uuid;
  request.environment["PERFGATE"] = "1";
  request.environment["PERFGATE_ROLE"] = "control";
  request.environment["PERFGATE_RESULTS"] = results_path;
  request.timeout_s = kTimeoutS;
  PG_ASSIGN_OR_RETURN(const platform::ProcessOutcome outcome, processes.run(request));
  if (outcome.end == platform::ProcessOutcome::End::interrupted) {
    return Error{
        .code = ErrorCode::interrupted, .message = "interrupted", .hint = {}, .context = {}};
  }
  if (outcome.end != platform::ProcessOutcome::End::exited || outcome.exit_code != 0) {
    return Error{.code = ErrorCode::invalid_measurement,
                 .message = "perfgate-workload control did not end well",
                 .hint = "perfgate doctor says what this machine lacks",
                 .context = outcome.stderr_tail};
  }
  return measure::load_results(files, results_path);
}

Result<std::string> calibrate(const CalibrateOptions& options, const Context& context) {
  platform::SystemClock clock;
  platform::DiskFileSystem files;
  const platform::Environment environment = platform::own_environment();
  platform::Cancellation cancellation;
  const platform::InterruptScope interrupts(cancellation);
  platform::SystemProcessRunner processes(clock, cancellation);
  if (context.installation.workload_program.empty()) {
    return Error{
        .code = ErrorCode::unavailable,
        .message = "this perfgate was built without CUDA: perfgate-workload is not beside it",
        .hint = "install a package with the built-in workloads, or build with the CUDA toolkit",
        .context = {}};
  }
  const auto device = device::open_device_query(clock, device::pid_view());
  PG_ASSIGN_OR_RETURN(const auto gpus, device->gpus());
  PG_ASSIGN_OR_RETURN(const device::GpuInfo gpu, device::choose_gpu(options.gpu, gpus));
  PG_ASSIGN_OR_RETURN(const std::string locks, platform::lock_folder(environment));
  PG_ASSIGN_OR_RETURN(const platform::GpuLock lock,
                      platform::GpuLock::acquire(locks, gpu.uuid, clock, cancellation,
                                                 [&](const std::string& holder, double) {
                                                   show_progress(context.console,
                                                                 "waiting for " + holder);
                                                 }));
  PG_TRY(ignore_in_git(files, options.out + "/"));
  PG_TRY(files.make_folders(options.out));
  const std::string results = files.absolute(platform::join_path(options.out, "control.jsonl"));
  const std::string& program = context.installation.workload_program;
  std::vector<ProcessResults> controls;
  for (int i = 0; i < options.processes; ++i) {
    show_progress(context.console, "control process " + std::to_string(i + 1) + " of " +
                                       std::to_string(options.processes));
    PG_ASSIGN_OR_RETURN(ProcessResults control,
                        run_control(program, gpu.uuid, results, environment, processes, files));
    controls.push_back(std::move(control));
  }
  show_progress(context.console, "");
  const std::string driver = device->driver().driver;
  PG_ASSIGN_OR_RETURN(const device::Calibration calibration,
                      device::form_calibration(controls, gpu.uuid, driver,
                                               platform::format_utc(clock.realtime_ns())));
  const std::string path =
      platform::join_path(options.out, device::calibration_file_name(gpu.uuid, driver));
  PG_TRY(files.write(path, device::write_calibration(calibration)));
  return shown(gpu.name) + ", driver " + shown(driver) + ", median of " +
         std::to_string(options.processes) + " processes\n" + "  read stream  " +
         render::format_bytes_per_s(calibration.read_bytes_per_s) + "\n" + "  copy         " +
         render::format_bytes_per_s(calibration.copy_bytes_per_s) + " (read + written)\n" +
         "  BF16 GEMM    " + render::format_flops_per_s(calibration.bf16_flop_per_s) + "\n" +
         "kept in " + shown(path) + "\n";
}

/// The options that say something with --noise only; they stand in a group of their own.
std::vector<CLI::Option*> add_noise_options(CLI::App& app, NoiseOptions& noise) {
  app.add_option("--noise", noise.files, "A/A runs of workloads: their SD from run to run")
      ->type_name("FILE");
  std::vector<CLI::Option*> own{
      app.add_option("--runs", noise.runs, "runs of each workload; a call is one occasion")
          ->check(CLI::Range(2, 1000).description(""))
          ->type_name("N")
          ->capture_default_str(),
      app.add_flag("--traced", noise.traced, "traced processes too: families, gaps, kernels"),
      app.add_flag("--show", noise.show, "what is stored; nothing is measured"),
      app.add_option("--store", noise.store, "store (PERFGATE_STORE, else .perfgate/perfgate.db)")
          ->type_name("PATH"),
      app.add_flag("--json", noise.json, "as JSON instead of a table")};
  for (CLI::Option* option : own) option->group("With --noise");
  return own;
}

/// What a GPU reaches is not known without one.
Status check_gpu(const CalibrateOptions& options) {
  if (options.gpu != "none") return {};
  return Error{.code = ErrorCode::usage,
               .message = "--gpu none asks for no GPU, and calibrate measures what a GPU reaches",
               .hint =
                   "leave --gpu out; with --noise FILE, --gpu none measures how far runs of a "
                   "workload scatter",
               .context = {}};
}

/// With --noise those of the controls would be taken in silence, without it those of --noise.
Status check_noise_options(const NoiseOptions& noise, const std::vector<CLI::Option*>& own,
                           const std::vector<CLI::Option*>& of_controls) {
  if (!noise.files.empty()) {
    for (const CLI::Option* option : of_controls) {
      if (option->count() == 0) continue;
      return Error{.code = ErrorCode::usage,
                   .message = option->get_name() +
                              " is for the controls of a GPU, and --noise measures none",
                   .hint =
                       "leave it out: --runs says how many runs there are, --store where what "
                       "they show is kept",
                   .context = {}};
    }
    return {};
  }
  for (const CLI::Option* option : own) {
    if (option->count() == 0) continue;
    return Error{.code = ErrorCode::usage,
                 .message = option->get_name() + " is for A/A runs, and --noise is not there",
                 .hint = "perfgate calibrate --noise FILE " + option->get_name(),
                 .context = {}};
  }
  return {};
}

}  // namespace

void setup_calibrate(CLI::App& app, Context& context, Action& action) {
  auto options = std::make_shared<CalibrateOptions>();
  auto noise = std::make_shared<NoiseOptions>();
  app.add_option("--gpu", options->gpu, "auto, an index or a UUID; with --noise also none")
      ->type_name("GPU")
      ->capture_default_str();
  const std::vector<CLI::Option*> of_controls{
      app.add_option("--processes", options->processes, "fresh control processes")
          ->check(CLI::Range(1, 100).description(""))
          ->type_name("N")
          ->capture_default_str(),
      app.add_option("--out", options->out, "folder (default .perfgate/calibration)")
          ->type_name("DIR")};
  const auto own = add_noise_options(app, *noise);
  app.callback([options, noise, own, of_controls, &context, &action] {
    noise->gpu = options->gpu;
    action = [options, noise, own, of_controls, &context] {
      Status sound = check_noise_options(*noise, own, of_controls);
      if (sound.ok() && !noise->files.empty()) return calibrate_noise(*noise, context);
      if (sound.ok()) sound = check_gpu(*options);
      const Result<std::string> said =
          sound.ok() ? calibrate(*options, context) : Result<std::string>(sound.error());
      const Status done = said.ok() ? print(said.value()) : Status(said.error());
      if (done.ok()) return kExitPass;
      print_error(context.console, done.error());
      return exit_code(done.error().code);
    };
  });
}

}  // namespace perfgate::cli
