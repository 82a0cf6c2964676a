#include "runner/cli/recording.h"

#include <utility>

#include "runner/cli/result_input.h"
#include "runner/cli/run_identity.h"
#include "runner/cli/store_access.h"
#include "workloads/spec/workload_file.h"

namespace perfgate::cli {

Status check_may_record(const platform::Environment& environment) {
  if (environment.get_non_empty("PERFGATE_INJECT")) {
    return Error{.code = ErrorCode::usage,
                 .message = "recording is refused with a planted fault: PERFGATE_INJECT is set",
                 .hint = "unset PERFGATE_INJECT, or leave --record out",
                 .context = {}};
  }
  if (!is_pull_request(environment)) return {};
  return Error{.code = ErrorCode::usage,
               .message = "recording is refused in a pull-request event: it never writes baselines",
               .hint = "record in the job of the base branch; here, leave --record out",
               .context = {}};
}

Status check_recordable(const RunResult& result) {
  if (result.verdict.outcome == Outcome::invalid) {
    return Error{.code = ErrorCode::invalid_measurement,
                 .message = "an invalid run is not recorded; the store is unchanged",
                 .hint = "the report names the cause; mend it and run again",
                 .context = {}};
  }
  if (result.source != RunSource::measured) {
    return Error{.code = ErrorCode::usage,
                 .message = "a " + std::string(to_string(result.source)) +
                            " run is not recorded: it would serve measured runs as baseline",
                 .hint = "leave --record out",
                 .context = {}};
  }
  return {};
}

Status check_store_for_recording(const std::string& store,
                                 const platform::Environment& environment) {
  PG_TRY(baselines::Store::open(store, baselines::OpenMode::record, store_options(environment)));
  return {};
}

Result<std::string> record_result(const std::string& store, const RunResult& result,
                                  const std::string& workload_digest,
                                  const platform::Environment& environment) {
  PG_TRY(check_recordable(result));
  PG_ASSIGN_OR_RETURN(
      baselines::Store opened,
      baselines::Store::open(store, baselines::OpenMode::record, store_options(environment)));
  PG_ASSIGN_OR_RETURN(const baselines::RecordOutcome outcome,
                      baselines::record(opened, result, workload_digest));
  const std::string what = outcome.was_there ? " was already in " : " recorded in ";
  return "run " + std::to_string(outcome.run) + what + store;
}

Result<std::string> record_folder(const std::string& store, const std::string& folder,
                                  const platform::FileSystem& files,
                                  const platform::Environment& environment) {
  PG_TRY(check_may_record(environment));
  PG_ASSIGN_OR_RETURN(const RunResult result, read_run_folder(files, folder));
  const std::string path = platform::join_path(folder, "workload.yaml");
  PG_ASSIGN_OR_RETURN(const std::string text, files.read(path));
  PG_ASSIGN_OR_RETURN(const WorkloadSpec spec, workloads::parse_workload(text, path));
  return record_result(store, result, spec.workload_digest, environment);
}

}  // namespace perfgate::cli
