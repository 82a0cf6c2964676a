#include "runner/cli/result_input.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "gates/contradiction.h"
#include "reporters/render/result_json.h"
#include "runner/cli/run/completeness.h"
#include "runner/measure/run_folder.h"
#include "runner/measure/samples.h"
#include "runner/model/json_limits.h"
#include "runner/results/json_line.h"
#include "workloads/spec/workload_file.h"

namespace perfgate::cli {
namespace {

using platform::join_path;

constexpr std::array kOfARun{"result.json", "processes", "captures"};

/// A result.json alone is named itself: the commands take that too.
std::string folder_of(const std::string& path) {
  constexpr std::string_view kName = "/result.json";
  return path.ends_with(kName) ? path.substr(0, path.size() - kName.size()) : path;
}

}  // namespace

bool holds_run(const platform::FileSystem& files, const std::string& folder) {
  return std::ranges::any_of(
      kOfARun, [&](const char* name) { return files.exists(join_path(folder, name)); });
}

Result<RunResult> read_result(const platform::FileSystem& files, const std::string& named) {
  const std::string inside = join_path(named, "result.json");
  const bool is_folder = files.exists(inside);
  if (!is_folder && holds_run(files, named)) {
    return Error{.code = ErrorCode::not_found,
                 .message = "'" + named + "' has no result.json: the run did not come to its end",
                 .hint = "run it again; what its processes left is in " + named + "/processes",
                 .context = {}};
  }
  const std::string path = is_folder ? inside : named;
  if (path.ends_with(".pgcap")) {
    return Error{.code = ErrorCode::usage,
                 .message = "'" + path + "' is the capture of one process, and no run",
                 .hint = "perfgate analyze " + path + " shows what it holds",
                 .context = {}};
  }
  auto text = files.read(path);
  if (!text.ok()) {
    Error error = std::move(text).error();
    if (files.list(path).ok()) error.message = "'" + path + "' holds no run: no result.json in it";
    error.hint = "name a run folder, as .perfgate/runs has them, or a result.json";
    return error;
  }
  // The parser keeps the last of two, a reader sees the first: a FAIL with a PASS appended is
  // neither.
  if (const std::string key =
          json_beyond_limits(text.value()) ? "" : results::repeated_key(text.value());
      !key.empty()) {
    return Error{.code = ErrorCode::corrupt,
                 .message = path + ": \"" + results::shown(key) + "\" stands twice in one object",
                 .hint = "it was edited or put together by hand; measure again, or replay the run",
                 .context = {}};
  }
  auto result = render::from_result_json(text.value());
  if (result.ok()) {
    result.value().folder = is_folder ? named : folder_of(path);
    return result;
  }
  Error error = std::move(result).error();
  constexpr std::string_view kPrefix = "result.json: ";
  if (error.message.starts_with(kPrefix)) error.message.erase(0, kPrefix.size());
  error.message = path + ": " + error.message;
  return error;
}

Status check_consistent(const RunResult& result) {
  const std::string found = gates::contradiction(result);
  if (found.empty()) return {};
  return Error{.code = ErrorCode::corrupt,
               .message = "result.json contradicts itself: " + found,
               .hint = "it was edited or put together by hand; measure again, or replay the run",
               .context = {}};
}

namespace {

Error incomplete(const std::string& folder, const std::string& missing) {
  return {.code = ErrorCode::invalid_measurement,
          .message = "'" + folder + "' is not complete: " + missing,
          .hint = "take a complete copy of the run folder, or measure again",
          .context = {}};
}

Error edited(const std::string& folder, const std::string& what) {
  return {.code = ErrorCode::corrupt,
          .message = "'" + folder + "' contradicts itself: " + what,
          .hint = "it was edited or put together by hand; measure again, or replay the run",
          .context = {}};
}

/// What the result was formed of, which a measured folder keeps.
Status check_processes(const platform::FileSystem& files, const std::string& folder,
                       const WorkloadSpec& spec) {
  if (!files.exists(join_path(folder, "processes")))
    return incomplete(folder, "it has no processes");
  PG_ASSIGN_OR_RETURN(const RunResult whole, read_run_folder(files, folder));
  PG_ASSIGN_OR_RETURN(const std::string missing,
                      missing_part(spec, whole.measurement, folder, files));
  if (!missing.empty()) return incomplete(folder, missing);
  PG_ASSIGN_OR_RETURN(const std::string other, edited_part(spec, whole));
  if (!other.empty()) return edited(folder, other);
  PG_ASSIGN_OR_RETURN(const std::string traces, edited_traces(spec, whole, folder, files));
  return traces.empty() ? Status() : edited(folder, traces);
}

/// A lone result.json claims nothing beside it; a folder does. An invalid verdict is believed as it
/// is.
Status check_folder(const platform::FileSystem& files, const std::string& named,
                    const RunResult& result) {
  const bool is_folder = files.exists(join_path(named, "result.json"));
  if (!is_folder || result.verdict.outcome == Outcome::invalid) return {};
  const std::string path = join_path(named, "workload.yaml");
  if (!files.exists(path)) return incomplete(named, "it has no workload.yaml");
  PG_ASSIGN_OR_RETURN(const std::string text, files.read(path));
  PG_ASSIGN_OR_RETURN(const WorkloadSpec spec, workloads::parse_workload(text, path));
  if (const std::string found = gates::contradiction_of_gates(result, spec.gates); !found.empty())
    return edited(named, found);
  if (result.source == RunSource::measured) return check_processes(files, named, spec);
  for (const char* own : {"processes", "captures"}) {
    if (!files.exists(join_path(named, own))) continue;
    return edited(named, "its result.json says " + std::string(to_string(result.source)) +
                             ", and it has " + own + " of its own");
  }
  return {};
}

}  // namespace

Result<RunResult> read_judged_result(const platform::FileSystem& files, const std::string& named) {
  PG_ASSIGN_OR_RETURN(RunResult result, read_result(files, named));
  if (const Status consistent = check_consistent(result); !consistent.ok()) {
    Error error = consistent.error();
    error.message = "'" + named + "': " + error.message;
    return error;
  }
  PG_TRY(check_folder(files, named, result));
  return result;
}

Result<std::string> measured_folder(const platform::FileSystem& files, const std::string& folder) {
  if (files.exists(join_path(folder, "processes"))) return folder;
  PG_ASSIGN_OR_RETURN(const RunResult result, read_result(files, folder));
  if (result.recording.empty()) {
    return Error{.code = ErrorCode::invalid_measurement,
                 .message = "'" + folder + "' has no processes of its own",
                 .hint = "name the folder of a measured run; of a replayed one, the recording",
                 .context = {}};
  }
  if (files.exists(join_path(result.recording, "processes"))) return result.recording;
  return Error{.code = ErrorCode::not_found,
               .message = "'" + folder + "' was replayed out of '" + result.recording +
                          "', which is not there",
               .hint = "name that recording where it lies now",
               .context = {}};
}

Result<RunResult> read_run_folder(const platform::FileSystem& files, const std::string& folder) {
  PG_ASSIGN_OR_RETURN(RunResult result, read_result(files, folder));
  PG_ASSIGN_OR_RETURN(std::vector<ProcessRecord> processes, measure::read_processes(files, folder));
  const auto same = [](const ProcessRecord& a, const ProcessRecord& b) {
    return a.index == b.index && a.role == b.role && a.state == b.state;
  };
  if (!std::ranges::equal(processes, result.measurement.processes, same)) {
    return Error{
        .code = ErrorCode::corrupt,
        .message = "'" + folder + "' does not hold the processes that its result.json names",
        .hint = "the recording was edited or cut; take a fresh copy",
        .context = {}};
  }
  result.measurement.processes = std::move(processes);
  result.measurement.controls = measure::control_readings(result.measurement.processes);
  return result;
}

}  // namespace perfgate::cli
