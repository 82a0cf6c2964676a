#include "runner/cli/analyze/traced_input.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "runner/analysis/analyze.h"
#include "runner/analysis/range_names.h"
#include "runner/capture/decoder.h"
#include "runner/cli/result_input.h"
#include "runner/cli/run/assess_arm.h"
#include "runner/measure/run_folder.h"
#include "runner/measure/samples.h"
#include "workloads/spec/workload_file.h"

namespace perfgate::cli {
namespace {

using platform::join_path;

constexpr std::string_view kResultName = "result.json";

/// The run folder that was named, by itself or by its result.json; empty = neither.
std::string run_folder_of(const platform::FileSystem& files, const std::string& named) {
  if (holds_run(files, named)) return named;
  const bool is_result = named == kResultName || named.ends_with("/" + std::string(kResultName));
  if (!is_result || !files.exists(named)) return {};
  const std::string folder = named.substr(0, named.size() - kResultName.size());
  return folder.empty() ? "." : folder;
}

/// "nvtx decode#21": the window opened at the 21st range that the workload calls a step.
std::string range_that_opened(const Capture& capture) {
  constexpr std::string_view kByRange = "nvtx ";
  for (const CaptureWindow& window : capture.windows) {
    const std::string_view by = text_of(capture, window.opened_by);
    if (!by.starts_with(kByRange)) continue;
    const std::string_view range = by.substr(kByRange.size());
    return analysis::collapse_indices(range.substr(0, range.rfind('#')));
  }
  return {};
}

Result<LoadedTrace> load_capture(const platform::FileSystem& files, const std::string& named,
                                 const TracedChoice& choice) {
  if (choice.process) {
    return Error{
        .code = ErrorCode::usage,
        .message = "--process chooses a process of a run folder, and '" + named + "' is a file",
        .hint = "name the run folder, or leave --process out",
        .context = {}};
  }
  auto bytes = files.read(named);
  if (!bytes.ok()) {
    Error error = std::move(bytes).error();
    error.hint = "name a capture (captures/NN/*.pgcap of a run folder) or a run folder";
    return error;
  }
  auto capture = capture::decode(std::as_bytes(std::span(bytes.value())));
  if (!capture.ok()) {
    Error error = std::move(capture).error();
    error.message = named + ": " + error.message;
    return error;
  }
  LoadedTrace loaded;
  loaded.named = named;
  loaded.captures.push_back(std::move(capture).value());
  const Capture& only = loaded.captures.front();
  loaded.spec.steps.range = choice.range.empty() ? range_that_opened(only) : choice.range;
  loaded.spec.trace.window = "capture";  // how many steps were asked for is not known
  const std::vector<analysis::TracedInput> traced{
      {.process = 0, .captures = {&only}, .traced_step_ms = {}, .first_captured_step = 0}};
  const TimingSamples timing;
  PG_ASSIGN_OR_RETURN(
      Analysis analysis,
      analysis::analyze(
          {.spec = loaded.spec, .traced = traced, .timing = timing, .work = {}, .ceilings = {}}));
  loaded.traced = std::move(analysis.traced.front());
  return loaded;
}

bool is_traced(const ProcessRecord& process) {
  return process.role == ProcessRole::trace && !process.capture_files.empty();
}

Error not_traced(const std::string& named, std::optional<int> asked,
                 const std::vector<int>& traced) {
  std::string list;
  for (const int index : traced) list += (list.empty() ? "" : ", ") + std::to_string(index);
  if (list.empty() || !asked) {
    return {.code = ErrorCode::not_found,
            .message = "'" + named + "' has no traced process",
            .hint = "run the workload with its `trace` section on a GPU",
            .context = {}};
  }
  return {.code = ErrorCode::usage,
          .message = "process " + std::to_string(*asked) + " of '" + named + "' was not traced",
          .hint = "the traced ones are " + list,
          .context = {}};
}

/// The one that was asked for; else the first of head that ended well, else the first.
const ProcessRecord* choose(const std::vector<ProcessRecord>& processes, std::optional<int> asked) {
  const ProcessRecord* best = nullptr;
  const auto merit = [](const ProcessRecord& process) {
    return (process.state == ProcessState::ok ? 2 : 0) + (process.arm == Arm::head ? 1 : 0);
  };
  for (const ProcessRecord& process : processes) {
    if (!is_traced(process) || (asked && process.index != *asked)) continue;
    if (best == nullptr || merit(process) > merit(*best)) best = &process;
  }
  return best;
}

/// As the report has it: the same untraced processes beside it, the same checks.
Result<TracedProcess> analyse(const platform::FileSystem& files, const std::string& folder,
                              const WorkloadSpec& spec, const std::vector<ProcessRecord>& processes,
                              const ProcessRecord& chosen) {
  const std::optional<device::Calibration> none;
  ArmInput input{.spec = spec,
                 .processes = measure::of_arm(processes, chosen.arm),
                 .run_folder = files.absolute(folder),
                 .gpu = {},
                 .calibration = none,
                 .basis = measure::step_basis(spec, processes)};
  std::erase_if(input.processes, [&](const ProcessRecord& process) {
    return process.role == ProcessRole::trace && process.index != chosen.index;
  });
  for (ProcessRecord& process : input.processes) {
    if (process.index == chosen.index) process.state = ProcessState::ok;
  }
  PG_ASSIGN_OR_RETURN(ArmFigures figures, assess_arm(input, files));
  TracedProcess traced = std::move(figures.analysis.traced.front());
  if (chosen.state != ProcessState::ok) {
    traced.verdict.validity = Validity::invalid;
    traced.verdict.reasons.push_back("the process failed: " + chosen.problem);
  }
  return traced;
}

Result<LoadedTrace> load_run(const platform::FileSystem& files, const std::string& named,
                             const std::string& of_run, const TracedChoice& choice) {
  LoadedTrace loaded;
  PG_ASSIGN_OR_RETURN(const std::string folder, measured_folder(files, of_run));
  loaded.named = named;
  const std::string file = join_path(folder, "workload.yaml");
  PG_ASSIGN_OR_RETURN(const std::string text, files.read(file));
  PG_ASSIGN_OR_RETURN(loaded.spec, workloads::parse_workload(text, file));
  if (!choice.range.empty()) loaded.spec.steps.range = choice.range;
  PG_ASSIGN_OR_RETURN(const std::vector<ProcessRecord> processes,
                      measure::read_processes(files, files.absolute(folder)));
  for (const ProcessRecord& process : processes) {
    if (is_traced(process)) loaded.other_processes.push_back(process.index);
  }
  const ProcessRecord* chosen = choose(processes, choice.process);
  if (chosen == nullptr) return not_traced(named, choice.process, loaded.other_processes);
  std::erase(loaded.other_processes, chosen->index);
  loaded.process = chosen->index;
  PG_ASSIGN_OR_RETURN(loaded.traced, analyse(files, folder, loaded.spec, processes, *chosen));
  PG_ASSIGN_OR_RETURN(loaded.captures,
                      measure::load_captures(files, files.absolute(folder), *chosen));
  return loaded;
}

}  // namespace

Result<LoadedTrace> load_traced(const platform::FileSystem& files, const std::string& named,
                                const TracedChoice& choice) {
  const std::string folder = run_folder_of(files, named);
  return folder.empty() ? load_capture(files, named, choice)
                        : load_run(files, named, folder, choice);
}

}  // namespace perfgate::cli
