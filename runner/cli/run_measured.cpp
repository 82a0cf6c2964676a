#include <filesystem>
#include <memory>
#include <utility>

#include "runner/analysis/metric_catalog.h"
#include "runner/cli/progress.h"
#include "runner/cli/recording.h"
#include "runner/cli/results_extractor.h"
#include "runner/cli/run_identity.h"
#include "runner/cli/run_request.h"
#include "runner/cli/store_access.h"
#include "runner/device/calibration.h"
#include "runner/device/device_query.h"
#include "runner/device/fingerprint.h"
#include "runner/measure/child_request.h"
#include "runner/measure/measure.h"
#include "runner/platform/gpu_lock.h"
#include "runner/platform/process.h"

namespace perfgate::cli {
namespace {

/// What a person can do on a machine without a GPU.
Error without_gpu(Error error, const WorkloadSpec& spec) {
  if (error.code != ErrorCode::unavailable) return error;
  error.hint = std::holds_alternative<BuiltinRun>(spec.run)
                   ? "--replay auto judges a recorded run of this workload, without a GPU"
                   : "--gpu none measures a program that needs no GPU; --replay DIR judges a "
                     "recorded run";
  if (spec.path.empty()) {
    error.hint += "; perfgate's own options stand before `--`: perfgate run --gpu none -- CMD";
  }
  error.hint += "; perfgate doctor examines the driver";
  return error;
}

Result<std::optional<device::GpuInfo>> find_gpu(const RunRequest& request,
                                                const device::DeviceQuery& device) {
  if (request.gpu == "none") return std::optional<device::GpuInfo>();
  const auto gpus = device.gpus();
  if (!gpus.ok()) return without_gpu(gpus.error(), request.spec);
  auto gpu = device::choose_gpu(request.gpu, gpus.value());
  if (!gpu.ok()) return without_gpu(std::move(gpu).error(), request.spec);
  return std::optional<device::GpuInfo>(std::move(gpu).value());
}

/// The workload as it is measured here: without traced processes where none are wanted.
Result<WorkloadSpec> plan_traces(const WorkloadSpec& spec, const Fingerprint& fingerprint,
                                 const Context& context) {
  WorkloadSpec planned = spec;
  if (!wants_traces(spec, fingerprint)) {
    planned.trace.processes = {0};
  } else if (context.installation.probe_library.empty()) {
    return Error{.code = ErrorCode::unavailable,
                 .message =
                     "the probe (libperfgate_probe.so) is not beside this perfgate, so "
                     "nothing can be traced, and a run without its trace is not judged",
                 .hint = "install a package with the probe, or build with the CUDA toolkit",
                 .context = {}};
  }
  return planned;
}

/// Kernels, copies and gaps are seen on a GPU alone: such a gate could never pass.
Status check_gates_without_gpu(const WorkloadSpec& spec) {
  for (const GateSpec& gate : spec.gates) {
    const analysis::MetricInfo* info = analysis::find_metric(gate.metric);
    if (info == nullptr || info->kind == MetricKind::timed) continue;
    return Error{.code = ErrorCode::usage,
                 .message = "the gate on " + gate.metric +
                            " needs traced GPU work, and --gpu none asks for no GPU",
                 .hint = "leave --gpu none out, or gate step_time_p50 or reported/NAME instead",
                 .context = {}};
  }
  return {};
}

Status check_parts(const RunRequest& request, const Context& context) {
  const WorkloadSpec& spec = request.spec;
  if (std::holds_alternative<BuiltinRun>(spec.run) &&
      context.installation.workload_program.empty()) {
    return Error{
        .code = ErrorCode::unavailable,
        .message = "this perfgate was built without CUDA: perfgate-workload is not beside it",
        .hint =
            "install a package with the built-in workloads, or build with the CUDA toolkit; "
            "--replay auto judges a recorded run, without a GPU",
        .context = {}};
  }
  if (std::holds_alternative<BuiltinRun>(spec.run) && request.gpu == "none") {
    return Error{.code = ErrorCode::usage,
                 .message = "a built-in workload needs a GPU, and --gpu none asks for none",
                 .hint = "leave --gpu out, or judge a recorded run with --replay auto",
                 .context = {}};
  }
  return request.gpu == "none" ? check_gates_without_gpu(spec) : Status();
}

Result<std::optional<platform::GpuLock>> lock_gpu(const std::optional<device::GpuInfo>& gpu,
                                                  const Context& context, const RunPorts& ports) {
  if (!gpu) return std::optional<platform::GpuLock>();
  PG_ASSIGN_OR_RETURN(const std::string folder, platform::lock_folder(ports.environment));
  const auto waiting = [&](const std::string& holder, double waited_s) {
    show_progress(context.console, "waiting for the GPU: " + holder + " holds it (" +
                                       std::to_string(static_cast<int>(waited_s)) + " s)");
  };
  PG_ASSIGN_OR_RETURN(
      platform::GpuLock lock,
      platform::GpuLock::acquire(folder, gpu->uuid, ports.clock, ports.cancellation, waiting));
  return std::optional<platform::GpuLock>(std::move(lock));
}

std::optional<device::Calibration> stored_calibration(const RunRequest& request,
                                                      const std::string& uuid,
                                                      const std::string& driver,
                                                      const platform::FileSystem& files) {
  const auto text = files.read(
      platform::join_path(request.calibration_folder, device::calibration_file_name(uuid, driver)));
  if (!text.ok()) return std::nullopt;
  auto calibration = device::read_calibration(text.value());
  if (!calibration.ok()) return std::nullopt;
  return std::move(calibration).value();
}

measure::MeasureOptions measure_options(const RunRequest& request, const std::string& uuid,
                                        const Context& context, const RunPorts& ports) {
  measure::MeasureOptions options;
  options.run_folder = request.run_folder;
  options.workload_program = context.installation.workload_program;
  options.probe_library = context.installation.probe_library;
  options.gpu_uuid = uuid;
  options.environment = ports.environment.variables;
  options.extract_results = [&ports, steps = request.spec.steps](const CommandRun& command,
                                                                 std::string_view text) {
    return extract_results(command, steps, text, ports.cancellation);
  };
  return options;
}

/// Formed before anything runs: it decides what is comparable, and what is traced.
Result<Fingerprint> fingerprint_of(const WorkloadSpec& spec, const measure::MeasureOptions& options,
                                   const std::optional<device::GpuInfo>& gpu,
                                   const device::DriverInfo& driver, const RunPorts& ports) {
  PG_ASSIGN_OR_RETURN(const std::string program,
                      measure::program_to_measure(spec, options, ports.files));
  device::FingerprintInputs inputs;
  inputs.gpu = gpu;
  inputs.driver = driver;
  inputs.cpu_model = device::read_cpu_model(ports.files);
  inputs.workload_digest = spec.workload_digest;
  inputs.program_digest = device::program_digest(program, ports.files);
  inputs.environment = ports.environment;
  return device::form_fingerprint(inputs);
}

RunIdentity identity_of(const RunRequest& request, const Ancestry& ancestry,
                        platform::ProcessRunner& processes, const RunPorts& ports) {
  RunIdentity identity = form_identity(ports.environment, processes, ports.clock);
  // Off the branch's line a run belongs to the branch that is checked out, whatever it was compared
  // with.
  identity.series_branch = ancestry.head_is_beyond ? identity.branch : request.branch;
  // Outside CI the run folder tells two runs of one second apart.
  if (identity.run_id.empty())
    identity.run_id = std::filesystem::path(request.run_folder).filename().string();
  return identity;
}

}  // namespace

Result<Assessed> run_measured(const RunRequest& request, Context& context, const RunPorts& ports) {
  PG_TRY(check_parts(request, context));
  platform::SystemProcessRunner processes(ports.clock, ports.cancellation);
  const Ancestry ancestry = find_ancestry(ports.environment, processes, request.branch);
  const RunIdentity identity = identity_of(request, ancestry, processes, ports);
  if (request.record) PG_TRY(check_line_for_recording(ancestry, request.branch, identity.branch));
  const std::unique_ptr<device::DeviceQuery> device =
      device::open_device_query(ports.clock, device::pid_view());
  PG_ASSIGN_OR_RETURN(const std::optional<device::GpuInfo> gpu, find_gpu(request, *device));
  PG_ASSIGN_OR_RETURN(const std::optional<platform::GpuLock> lock, lock_gpu(gpu, context, ports));
  const std::string uuid = gpu ? gpu->uuid : std::string();

  measure::MeasureOptions options = measure_options(request, uuid, context, ports);
  const device::DriverInfo driver = device->driver();
  PG_ASSIGN_OR_RETURN(options.fingerprint,
                      fingerprint_of(request.spec, options, gpu, driver, ports));
  PG_ASSIGN_OR_RETURN(const WorkloadSpec spec,
                      plan_traces(request.spec, options.fingerprint, context));
  PG_ASSIGN_OR_RETURN(
      const baselines::Selection baseline,
      select_baseline({.store = request.store, .branch = request.branch, .ancestry = ancestry},
                      request.spec, options.fingerprint));
  const auto calibration = stored_calibration(request, uuid, driver.driver, ports.files);
  const auto judged_so_far = [&](const Measurement& measurement) {
    return AssessInput{.spec = spec,
                       .measurement = measurement,
                       .run_folder = request.run_folder,
                       .identity = identity,
                       .source = RunSource::measured,
                       .baseline = baseline,
                       .calibration = calibration};
  };
  PG_TRY(ignore_in_git(ports.files, request.run_folder));
  ConsoleProgress progress(context.console, request.spec.name);
  std::vector<std::string> stops;
  const auto need_more = [&](const Measurement& so_far, ProcessRole role) {
    const gates::LookAdvice advice = look_again(judged_so_far(so_far), role, ports.files);
    // What goes on is noted by the measuring itself.
    if (advice.processes == 0 && !advice.why.empty()) stops.push_back(advice.why);
    return advice.processes > 0;
  };
  PG_ASSIGN_OR_RETURN(Measurement measurement,
                      measure::measure({.head = {spec, options}, .base = {}},
                                       {processes, ports.clock, ports.files, *device}, progress,
                                       {.need_more = need_more, .confirm = {}}));
  measurement.notes.insert(measurement.notes.end(), stops.begin(), stops.end());
  if (spec.trace.processes.front() == 0) {
    measurement.notes.emplace_back(
        "judged on time alone: no GPU was asked for, and no gate needs a trace");
  }
  return assess(judged_so_far(measurement), ports.files);
}

}  // namespace perfgate::cli
