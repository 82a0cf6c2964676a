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
#include "workloads/spec/workload_file.h"

namespace perfgate::cli {
namespace {

using platform::join_path;

constexpr std::array kOfARun{"result.json", "processes", "captures"};

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
  auto text = files.read(path);
  if (!text.ok()) {
    Error error = std::move(text).error();
    error.hint = "name a run folder, as .perfgate/runs has them, or a result.json";
    return error;
  }
  auto result = render::from_result_json(text.value());
  if (result.ok()) return result;
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

/// A measured folder keeps what its result was formed of; a replayed one and a lone result.json do
/// not. An invalid verdict is believed as it is.
Status check_processes(const platform::FileSystem& files, const std::string& folder,
                       const RunResult& result) {
  const std::string path = join_path(folder, "workload.yaml");
  if (result.verdict.outcome == Outcome::invalid || result.source != RunSource::measured ||
      !files.exists(join_path(folder, "processes")) || !files.exists(path)) {
    return {};
  }
  PG_ASSIGN_OR_RETURN(const RunResult whole, read_run_folder(files, folder));
  PG_ASSIGN_OR_RETURN(const std::string text, files.read(path));
  PG_ASSIGN_OR_RETURN(const WorkloadSpec spec, workloads::parse_workload(text, path));
  PG_ASSIGN_OR_RETURN(const std::string missing,
                      missing_part(spec, whole.measurement, folder, files));
  if (missing.empty()) return {};
  return Error{.code = ErrorCode::invalid_measurement,
               .message = "'" + folder + "' is not complete: " + missing,
               .hint = "take a complete copy of the run folder, or measure again",
               .context = {}};
}

}  // namespace

Result<RunResult> read_judged_result(const platform::FileSystem& files, const std::string& named) {
  PG_ASSIGN_OR_RETURN(RunResult result, read_result(files, named));
  if (const Status consistent = check_consistent(result); !consistent.ok()) {
    Error error = consistent.error();
    error.message = "'" + named + "': " + error.message;
    return error;
  }
  PG_TRY(check_processes(files, named, result));
  return result;
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
