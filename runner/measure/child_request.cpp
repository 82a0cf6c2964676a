#include "runner/measure/child_request.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "runner/device/fingerprint.h"

namespace perfgate::measure {
namespace {

/// Built-in workloads have no `timeout` key; the largest takes under a minute.
constexpr double kBuiltinTimeoutS = 600.0;

const CommandRun* command_of(const WorkloadSpec& spec) {
  return std::get_if<CommandRun>(&spec.run);
}

bool times_ranges(const WorkloadSpec& spec) {
  const CommandRun* command = command_of(spec);
  return command != nullptr && command->results == ResultsSource::nvtx;
}

std::string printed(double value) {
  std::array<char, 64> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), result.ptr};
}

struct ParameterText {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return printed(value); }
  std::string operator()(const std::string& value) const { return value; }
};

std::vector<std::string> builtin_argv(const std::string& program, const BuiltinRun& run) {
  std::vector<std::string> argv{program, run.kind};
  for (const auto& [name, value] : run.with)
    argv.push_back(name + "=" + std::visit(ParameterText{}, value));
  for (const Fault& fault : run.inject) {
    argv.emplace_back("--inject");
    argv.push_back(fault.fault + "=" + printed(fault.size));
  }
  return argv;
}

/// `cwd` of a command is relative to the workload file's folder; without a file, to ours.
std::string working_folder(const WorkloadSpec& spec, const CommandRun& command) {
  std::string base = std::filesystem::path(spec.path).parent_path().string();
  if (command.cwd.empty()) return base;
  return platform::join_path(base, command.cwd);
}

/// What `--post` and the runner hold and no program under test has a use for: with one of these it
/// could comment, set a status, write caches or ask a cloud for more.
constexpr std::array<std::string_view, 5> kTokens{"PERFGATE_TOKEN", "GITHUB_TOKEN", "GH_TOKEN",
                                                  "ACTIONS_RUNTIME_TOKEN",
                                                  "ACTIONS_ID_TOKEN_REQUEST_TOKEN"};

bool is_token(std::string_view variable) {
  return std::ranges::find(kTokens, variable) != kTokens.end();
}

/// Meant for the workload itself: a planted fault, the tuning file of the built-in workloads, and a
/// token that its file names, for an inherited one is gone by then.
bool is_for_the_workload(const std::string& variable) {
  return variable == "PERFGATE_INJECT" || variable == "PERFGATE_TUNING" || is_token(variable);
}

/// What an outer perfgate or an unset-by-empty habit left in the environment must not reach the
/// child.
void remove_foreign(platform::Variables& variables) {
  std::erase_if(variables, [](const auto& entry) {
    const bool ours = entry.first == "PERFGATE" || entry.first.starts_with("PERFGATE_");
    return (ours && !is_for_the_workload(entry.first)) || entry.first == "CUDA_INJECTION64_PATH" ||
           entry.first == "NVTX_INJECTION64_PATH";
  });
}

void add_probe(const WorkloadSpec& spec, const MeasureOptions& options, ProcessRole role,
               const ProcessPaths& paths, platform::Variables& variables) {
  variables["NVTX_INJECTION64_PATH"] = options.probe_library;
  variables["PERFGATE_CAPTURE_DIR"] = paths.captures;
  variables["PERFGATE_NVTX_DOMAIN"] = spec.steps.domain;
  if (options.step_delay_us) {
    variables["PERFGATE_DELAY_US"] = printed(*options.step_delay_us);
    variables["PERFGATE_DELAY_RANGE"] = spec.steps.range;
  }
  if (role == ProcessRole::trace) {
    variables["CUDA_INJECTION64_PATH"] = options.probe_library;
    variables["PERFGATE_WINDOW"] = trace_window(spec);
  } else {
    variables["PERFGATE_WINDOW"] = "ranges";
  }
}

platform::Variables child_environment(const WorkloadSpec& spec, const MeasureOptions& options,
                                      ProcessRole role, const ProcessPaths& paths) {
  platform::Variables variables = options.environment;
  std::erase_if(variables, [](const auto& entry) { return is_token(entry.first); });
  const CommandRun* command = command_of(spec);
  if (command != nullptr && role != ProcessRole::control) {
    for (const auto& [name, value] : command->env) variables[name] = value;
  }
  remove_foreign(variables);
  if (role == ProcessRole::control)
    variables.erase("PERFGATE_INJECT");  // controls stay as they are
  variables["PERFGATE"] = "1";
  variables["PERFGATE_ROLE"] = std::string(to_string(role));
  variables["PERFGATE_RESULTS"] = paths.results;
  variables["PERFGATE_WARMUP"] = std::to_string(spec.steps.warmup);
  variables["PERFGATE_STEPS"] = std::to_string(steps_to_run(spec, role));
  if (!options.gpu_uuid.empty()) variables["CUDA_VISIBLE_DEVICES"] = options.gpu_uuid;
  if (loads_probe(spec, options, role)) add_probe(spec, options, role, paths, variables);
  return variables;
}

Error not_installed(const char* what) {
  return {.code = ErrorCode::not_found,
          .message = std::string(what) + " is not installed",
          .hint =
              "build perfgate where a CUDA toolkit is, or install the full package; perfgate "
              "doctor says what is there",
          .context = {}};
}

}  // namespace

bool loads_probe(const WorkloadSpec& spec, const MeasureOptions& options, ProcessRole role) {
  if (role == ProcessRole::trace) return true;
  return role == ProcessRole::timing && (times_ranges(spec) || options.step_delay_us.has_value());
}

int steps_to_run(const WorkloadSpec& spec, ProcessRole role) {
  if (role == ProcessRole::trace && spec.trace.window.empty() && !spec.steps.range.empty()) {
    return spec.trace.steps + 2 + kTraceSlackSteps;
  }
  return spec.steps.measure + (role == ProcessRole::timing && times_ranges(spec) ? 1 : 0);
}

std::string trace_window(const WorkloadSpec& spec) {
  if (!spec.trace.window.empty()) return spec.trace.window;
  if (spec.steps.range.empty()) return "profiler";
  return "nvtx:" + spec.steps.range + ":skip=" + std::to_string(spec.steps.warmup) +
         ",count=" + std::to_string(spec.trace.steps + 2);
}

Result<platform::ProcessRequest> child_request(const WorkloadSpec& spec,
                                               const MeasureOptions& options, ProcessRole role,
                                               const ProcessPaths& paths) {
  const CommandRun* command = command_of(spec);
  PG_TRY(device::check_no_other_injector(options.environment));
  if (command != nullptr) PG_TRY(device::check_no_other_injector(command->env));
  if ((command == nullptr || role == ProcessRole::control) && options.workload_program.empty()) {
    return not_installed("perfgate-workload (the built-in workloads)");
  }
  if (loads_probe(spec, options, role) && options.probe_library.empty()) {
    return not_installed("libperfgate_probe.so (the probe)");
  }
  platform::ProcessRequest request;
  request.environment = child_environment(spec, options, role, paths);
  request.stdout_path = paths.standard_out;
  request.stderr_path = paths.standard_error;
  request.grace_s = options.grace_s;
  request.timeout_s = kBuiltinTimeoutS;
  if (role == ProcessRole::control) {
    request.argv = {options.workload_program, "control"};
  } else if (command != nullptr) {
    request.argv = command->argv;
    request.cwd = working_folder(spec, *command);
    request.timeout_s = command->timeout_s;
  } else {
    request.argv = builtin_argv(options.workload_program, std::get<BuiltinRun>(spec.run));
  }
  return request;
}

Result<std::string> program_to_measure(const WorkloadSpec& spec, const MeasureOptions& options,
                                       const platform::FileSystem& files) {
  PG_ASSIGN_OR_RETURN(const auto request, child_request(spec, options, ProcessRole::timing, {}));
  return platform::find_program(request.argv.front(), request.cwd, request.environment, files);
}

}  // namespace perfgate::measure
