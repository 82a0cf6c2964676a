#include <optional>
#include <utility>

#include "baselines/exchange.h"
#include "baselines/stored_run.h"
#include "reporters/render/markdown.h"
#include "reporters/render/result_json.h"
#include "runner/cli/accepts/accepts_input.h"
#include "runner/cli/result_input.h"
#include "runner/cli/run/completeness.h"
#include "runner/cli/run/run_request.h"
#include "runner/cli/store_access.h"
#include "workloads/spec/workload_file.h"

namespace perfgate::cli {
namespace {

using platform::join_path;

std::optional<MeasurementProblem> incomplete(const std::string& missing) {
  if (missing.empty()) return std::nullopt;
  return MeasurementProblem{ProblemCode::recording_incomplete, missing};
}

/// Where the baseline is: a store in the run folder filled from the recorded one, or the request's.
Result<BaselinePlace> baseline_place(const RunRequest& request, const std::string& recording,
                                     const RunPorts& ports) {
  BaselinePlace place{.store = request.store,
                      .branch = {},  // recorded where it was recorded
                      .replay_store = true};
  const std::string lines = join_path(recording, "../baseline.jsonl");
  if (request.store_named || !ports.files.exists(lines)) return place;
  PG_ASSIGN_OR_RETURN(const std::string text, ports.files.read(lines));
  const std::string path = join_path(request.run_folder, "replay.db");
  PG_ASSIGN_OR_RETURN(baselines::Store store,
                      baselines::Store::open(path, baselines::OpenMode::record));
  PG_TRY(baselines::import_lines(store, text));
  place.store = path;
  place.unchanging = true;
  return place;
}

/// The recording speaks of the workload as it was; a file that now measures something else has no
/// verdict in it.
Status check_same_workload(const WorkloadSpec& now, const std::string& recording,
                           const RunPorts& ports) {
  const auto text = ports.files.read(join_path(recording, "workload.yaml"));
  if (!text.ok()) {
    Error error = text.error();
    error.hint = "--replay takes a run folder: one that perfgate run made, or a recording";
    return error;
  }
  PG_ASSIGN_OR_RETURN(const WorkloadSpec then,
                      workloads::parse_workload(text.value(), recording + "/workload.yaml"));
  if (then.workload_digest == now.workload_digest) return {};
  return Error{
      .code = ErrorCode::invalid_config,
      .message = now.path + " measures something else than the recording in " + recording,
      .hint =
          "replay with the recording's own workload.yaml, or record again on a GPU: perfgate run " +
          now.path,
      .context = {}};
}

/// Under which the store has this run if it was recorded; empty for a run that no store takes.
std::string own_digest(const WorkloadSpec& spec, const RunResult& recorded) {
  auto digest = baselines::run_digest(recorded, spec.workload_digest);
  return digest.ok() ? std::move(digest).value() : std::string();
}

}  // namespace

Result<Assessed> run_replayed(const RunRequest& request, const std::string& recording,
                              const RunPorts& ports) {
  PG_TRY(check_same_workload(request.spec, recording, ports));
  PG_ASSIGN_OR_RETURN(const RunResult recorded, read_run_folder(ports.files, recording));
  PG_ASSIGN_OR_RETURN(const std::string missing,
                      missing_part(request.spec, recorded.measurement, recording, ports.files));
  PG_ASSIGN_OR_RETURN(BaselinePlace place, baseline_place(request, recording, ports));
  place.exclude_digest = own_digest(request.spec, recorded);
  PG_ASSIGN_OR_RETURN(const baselines::Selection baseline,
                      select_baseline(place, request.spec, recorded.measurement.fingerprint));
  return assess({.spec = request.spec,
                 .measurement = recorded.measurement,
                 .run_folder = recording,
                 .identity = recorded.identity,
                 .source = RunSource::replayed,
                 .baseline = baseline,
                 .calibration = std::nullopt,
                 .base_arm = recorded.base_arm,
                 .accepts = request.accepts,
                 .today_utc = today_utc(ports.clock),
                 .problem = incomplete(missing)},
                ports.files);
}

Status write_reports(const RunRequest& request, const RunResult& result,
                     platform::FileSystem& files) {
  PG_TRY(files.make_folders(request.run_folder));
  PG_TRY(files.write(join_path(request.run_folder, "workload.yaml"), request.spec.source_text));
  // The result first: it is what can be recorded, whatever happens to the report.
  PG_TRY(files.write(join_path(request.run_folder, "result.json"), render::to_result_json(result)));
  return files.write(join_path(request.run_folder, "report.md"), render::render_markdown(result));
}

}  // namespace perfgate::cli
