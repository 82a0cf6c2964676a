#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "baselines/exchange.h"
#include "baselines/stored_run.h"
#include "reporters/render/markdown.h"
#include "reporters/render/result_json.h"
#include "runner/cli/accepts/accepts_input.h"
#include "runner/cli/git.h"
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
  BaselinePlace place{.store = request.store, .branch = request.branch, .replay_store = true};
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

/// result.json beside the processes keeps what they said when they were measured.
Status check_unedited(const WorkloadSpec& spec, const RunResult& recorded,
                      const std::string& recording) {
  PG_ASSIGN_OR_RETURN(const std::string other, edited_part(spec, recorded));
  if (other.empty()) return {};
  return Error{.code = ErrorCode::corrupt,
               .message = "'" + recording + "' contradicts itself: " + other,
               .hint = "the folder was edited or put together by hand; measure again",
               .context = {}};
}

/// Under which the store has this run if it was recorded; empty for a run that no store takes.
std::string own_digest(const WorkloadSpec& spec, const RunResult& recorded) {
  auto digest = baselines::run_digest(recorded, spec.workload_digest);
  return digest.ok() ? std::move(digest).value() : std::string();
}

/// Where nobody names an ancestor the newest runs serve, whatever is checked out here.
Result<Ancestry> ancestry_of(const RunRequest& request, const RunPorts& ports) {
  if (request.ancestor.empty()) return Ancestry{};
  platform::SystemProcessRunner processes(ports.clock, ports.cancellation);
  return line_of_commit(ports.environment, processes, request.ancestor);
}

/// The runs of one branch: the one that was named, else the recorded run's own, else, where the
/// store has none of that, the one that a run measured here is compared with. The lines beside a
/// recording are its own baseline, whatever their branch.
Result<baselines::Selection> select_branch(const RunRequest& request, const RunResult& recorded,
                                           BaselinePlace place) {
  const Fingerprint& fingerprint = recorded.measurement.fingerprint;
  const std::string& own = series_of(recorded.identity);
  if (!request.branch_named && !place.unchanging && !own.empty() && own != request.branch) {
    place.branch = own;
    PG_ASSIGN_OR_RETURN(baselines::Selection found,
                        select_baseline(place, request.spec, fingerprint));
    if (found.choice.exists) return found;
  }
  const bool any = place.unchanging && !request.branch_named;
  place.branch = any ? std::string() : request.branch;
  return select_baseline(place, request.spec, fingerprint);
}

/// The words that measured it, with the workload file as it is named now.
std::vector<std::string> command_again(const RunResult& recorded, const WorkloadSpec& spec) {
  std::vector<std::string> words = recorded.command;
  const auto dashes = std::ranges::find(words, "--");
  if (!recorded.workload_path.empty())
    std::replace(words.begin(), dashes, recorded.workload_path, spec.path);
  return words;
}

}  // namespace

Result<Assessed> run_replayed(const RunRequest& request, const std::string& recording,
                              const RunPorts& ports) {
  PG_TRY(check_same_workload(request.spec, recording, ports));
  PG_ASSIGN_OR_RETURN(const RunResult recorded, read_run_folder(ports.files, recording));
  PG_ASSIGN_OR_RETURN(const std::string missing,
                      missing_part(request.spec, recorded.measurement, recording, ports.files));
  if (missing.empty()) PG_TRY(check_unedited(request.spec, recorded, recording));
  PG_ASSIGN_OR_RETURN(BaselinePlace place, baseline_place(request, recording, ports));
  place.exclude_digest = own_digest(request.spec, recorded);
  PG_ASSIGN_OR_RETURN(place.ancestry, ancestry_of(request, ports));
  PG_ASSIGN_OR_RETURN(const baselines::Selection baseline,
                      select_branch(request, recorded, std::move(place)));
  PG_ASSIGN_OR_RETURN(Assessed assessed, assess({.spec = request.spec,
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
                                                ports.files));
  assessed.result.command = command_again(recorded, request.spec);
  assessed.result.recording = recording;
  return assessed;
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
