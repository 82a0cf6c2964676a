#include "runner/cli/run/ready_subject.h"

#include <utility>
#include <variant>

#include "runner/analysis/metric_catalog.h"
#include "runner/cli/run/assess.h"
#include "runner/cli/run/results_extractor.h"
#include "runner/device/fingerprint.h"
#include "runner/measure/child_request.h"

namespace perfgate::cli {
namespace {

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

measure::MeasureOptions measure_options(const RunRequest& request, const ArmChoice& choice,
                                        const Machine& machine, const Context& context,
                                        const RunPorts& ports) {
  measure::MeasureOptions options;
  options.run_folder = request.run_folder;
  options.probe_library = context.installation.probe_library;
  if (machine.gpu) options.gpu_uuid = machine.gpu->uuid;
  options.environment = ports.environment.variables;
  for (const auto& [name, value] : choice.environment) options.environment[name] = value;
  options.step_delay_us = choice.step_delay_us;
  options.extract_results = [&ports, steps = request.spec.steps](const CommandRun& command,
                                                                 std::string_view text) {
    return extract_results(command, steps, text, ports.cancellation);
  };
  return options;
}

/// Formed before anything runs: it decides what is comparable, and what is traced.
Result<Fingerprint> fingerprint_of(const WorkloadSpec& spec, const measure::MeasureOptions& options,
                                   const Machine& machine, const RunPorts& ports) {
  PG_ASSIGN_OR_RETURN(const std::string program,
                      measure::program_to_measure(spec, options, ports.files));
  device::FingerprintInputs inputs;
  inputs.gpu = machine.gpu;
  inputs.driver = machine.driver;
  inputs.cpu_model = device::read_cpu_model(ports.files);
  inputs.workload_digest = spec.workload_digest;
  inputs.program_digest = device::program_digest(program, ports.files);
  inputs.environment = ports.environment;
  return device::form_fingerprint(inputs);
}

}  // namespace

Status check_parts(const RunRequest& request, const Context& context) {
  const WorkloadSpec& spec = request.spec;
  if (std::holds_alternative<BuiltinRun>(spec.run) &&
      context.installation.workload_program.empty()) {
    return Error{
        .code = ErrorCode::unavailable,
        .message = "this perfgate was built without CUDA: perfgate-workload is not beside it",
        .hint =
            std::string(
                "install a package with the built-in workloads, or build with the CUDA toolkit") +
            (request.replays ? "; --replay auto judges a recorded run, without a GPU" : ""),
        .context = {}};
  }
  if (std::holds_alternative<BuiltinRun>(spec.run) && request.gpu == "none") {
    return Error{.code = ErrorCode::usage,
                 .message = "a built-in workload needs a GPU, and --gpu none asks for none",
                 .hint = std::string("leave --gpu out") +
                         (request.replays ? ", or judge a recorded run with --replay auto" : ""),
                 .context = {}};
  }
  return request.gpu == "none" ? check_gates_without_gpu(spec) : Status();
}

Result<ReadySubject> ready_subject(const RunRequest& request, const ArmChoice& choice,
                                   const Machine& machine, const Context& context,
                                   const RunPorts& ports) {
  PG_ASSIGN_OR_RETURN(
      ArmProgram program,
      program_of(choice, request.spec, context.installation.workload_program, ports.files));
  measure::MeasureOptions options = measure_options(request, choice, machine, context, ports);
  options.workload_program = program.workload_program;
  PG_ASSIGN_OR_RETURN(options.fingerprint, fingerprint_of(program.spec, options, machine, ports));
  PG_ASSIGN_OR_RETURN(WorkloadSpec spec, plan_traces(program.spec, options.fingerprint, context));
  return ReadySubject{.spec = std::move(spec), .options = std::move(options)};
}

}  // namespace perfgate::cli
