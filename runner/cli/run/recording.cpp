#include "runner/cli/run/recording.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "gates/accepts.h"
#include "gates/contradiction.h"
#include "runner/cli/result_input.h"
#include "runner/cli/run/completeness.h"
#include "runner/cli/run/run_identity.h"
#include "runner/cli/store_access.h"
#include "workloads/spec/workload_file.h"

namespace perfgate::cli {
namespace {

std::string upper_case(std::string_view word) {
  std::string text(word);
  for (char& c : text) c = c == '_' ? ' ' : static_cast<char>(std::toupper(c));
  return text;
}

/// A judged run that was not green is a point like any other from now on.
std::vector<std::string> warnings_of(const RunResult& result, std::int64_t run,
                                     const std::string& store) {
  std::vector<std::string> warnings;
  if (result.identity.commit.empty()) {
    warnings.emplace_back(
        "recorded without a commit: it serves only runs whose ancestors are not known either (the "
        "newest runs of the branch count there); see whether `git rev-parse HEAD` names one here");
  }
  if (result.identity.dirty) {
    warnings.push_back("recorded with uncommitted changes: commit " +
                       result.identity.commit.substr(0, kShownCommit) +
                       " does not hold what was measured");
  }
  const Outcome outcome = result.verdict.outcome;
  if (outcome == Outcome::fail || outcome == Outcome::suspected) {
    warnings.push_back("recorded although " + upper_case(to_string(outcome)) +
                       "; if it is not meant: perfgate baseline remove " + std::to_string(run) +
                       (store == kDefaultStore ? std::string() : " --store " + store));
  }
  return warnings;
}

baselines::LevelMark mark_of(const Accept& accept, std::string metric, const std::string& run,
                             const RunResult& result) {
  return {.first_run = run,
          .metric = std::move(metric),
          .kind = baselines::LevelMark::Kind::accept,
          .reason = accept.reason + " (" + accept.issue + ")",
          .utc = result.identity.started_utc};
}

/// Sets the marks of accepted rows; returns the metrics, "a, b". The same mark twice is one.
Result<std::string> begin_accepted_levels(baselines::Store& store, const std::string& run,
                                          const RunResult& result) {
  std::string metrics;
  for (const AcceptUse& use : result.accepted) {
    if (use.state != AcceptState::used) continue;
    if (use.accept.metric == kAcceptTokens) {  // of a step that does less every figure is new
      PG_TRY(baselines::mark_level(store, mark_of(use.accept, "", run, result)));
      metrics += (metrics.empty() ? "" : ", ") + std::string("all metrics");
    }
    const auto row = std::ranges::find(result.comparisons, use.accept.metric, &Comparison::metric);
    if (row == result.comparisons.end() || row->outcome != Outcome::pass) continue;
    if (!gates::is_new_level(*row)) continue;
    PG_TRY(baselines::mark_level(store, mark_of(use.accept, use.accept.metric, run, result)));
    metrics += (metrics.empty() ? "" : ", ") + use.accept.metric;
  }
  return metrics;
}

Error edited(const std::string& folder, const std::string& what) {
  return {.code = ErrorCode::corrupt,
          .message = "'" + folder + "' is not recorded: " + what,
          .hint = "the folder was edited or put together by hand; measure again",
          .context = {}};
}

Status check_folder(const std::string& folder, const RunResult& result, const WorkloadSpec& spec,
                    const platform::FileSystem& files) {
  PG_TRY(check_consistent(result));
  if (const std::string other = gates::contradiction_of_gates(result, spec.gates); !other.empty())
    return edited(folder, "result.json contradicts its workload.yaml: " + other);
  PG_ASSIGN_OR_RETURN(const std::string other, edited_part(spec, result));
  if (!other.empty()) return edited(folder, other);
  PG_ASSIGN_OR_RETURN(const std::string missing,
                      missing_part(spec, result.measurement, folder, files));
  if (!missing.empty()) return edited(folder, "it is not complete: " + missing);
  const Validity validity = result.analysis.capture.validity;
  const bool traced = std::ranges::any_of(
      result.measurement.processes,
      [](const ProcessRecord& process) { return process.role == ProcessRole::trace; });
  if (traced && validity != Validity::valid) {
    return Error{.code = ErrorCode::invalid_measurement,
                 .message = "'" + folder + "' is not recorded: its capture is " +
                            std::string(to_string(validity)),
                 .hint = "the report names the cause; mend it and run again",
                 .context = {}};
  }
  return {};
}

}  // namespace

Status check_line_for_recording(const Ancestry& ancestry, const std::string& branch,
                                const std::string& checked_out) {
  if (!ancestry.head_is_beyond) return {};
  const bool named = !checked_out.empty() && checked_out != "HEAD";
  return Error{
      .code = ErrorCode::usage,
      .message = (named ? "you are on `" + checked_out + "`; its runs never serve"
                        : "this commit is not one of " + branch + "'s; its runs never serve") +
                 " as baseline of " + branch,
      .hint = "check out " + branch +
              (named ? ", or name the branch: --branch " + checked_out : std::string()),
      .context = {}};
}

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
  if (result.base_arm) {
    return Error{.code = ErrorCode::usage,
                 .message = "a comparison in one session is no point of the baseline",
                 .hint = "record the program by itself: perfgate run FILE --record",
                 .context = {}};
  }
  if (result.source != RunSource::measured) {
    return Error{.code = ErrorCode::usage,
                 .message = "a " + std::string(to_string(result.source)) +
                            " run is not recorded: it would serve measured runs as baseline",
                 .hint = "leave --record out; a run folder that was measured can be imported",
                 .context = {}};
  }
  return {};
}

Status with_record(Status later, const Recorded& recorded) {
  if (later.ok()) return later;
  Error error = later.error();
  error.message += "; " + recorded.said + " all the same";
  error.hint = "do not record again: the store has this run; " +
               (error.hint.empty() ? "perfgate report shows its run folder" : error.hint);
  return error;
}

Status check_store_for_recording(const std::string& store,
                                 const platform::Environment& environment) {
  PG_TRY(open_to_record(store, environment));
  return {};
}

Result<Recorded> record_result(const std::string& store, const RunResult& result,
                               const std::string& workload_digest,
                               const platform::Environment& environment) {
  PG_TRY(check_recordable(result));
  PG_ASSIGN_OR_RETURN(baselines::Store opened, open_to_record(store, environment));
  PG_ASSIGN_OR_RETURN(const baselines::RecordOutcome outcome,
                      baselines::record(opened, result, workload_digest));
  PG_ASSIGN_OR_RETURN(const std::string accepted,
                      begin_accepted_levels(opened, outcome.digest, result));
  if (outcome.was_there) {
    return Recorded{.said = "run " + std::to_string(outcome.run) + " was already in " + store};
  }
  const std::string& git = result.identity.branch;
  const std::string& series = series_of(result.identity);
  return Recorded{
      .said = "run " + std::to_string(outcome.run) + " recorded in " + store +
              (git.empty() || git == series ? std::string() : ", as a run of " + series) +
              (accepted.empty() ? std::string() : "; the accepted level begins here: " + accepted),
      .warnings = warnings_of(result, outcome.run, store)};
}

Result<Recorded> record_folder(const std::string& store, const std::string& folder,
                               const platform::FileSystem& files,
                               const platform::Environment& environment) {
  PG_TRY(check_may_record(environment));
  // First, since the folder of a replayed run holds no processes.
  PG_ASSIGN_OR_RETURN(const RunResult head, read_result(files, folder));
  PG_TRY(check_recordable(head));
  PG_ASSIGN_OR_RETURN(const RunResult result, read_run_folder(files, folder));
  const std::string path = platform::join_path(folder, "workload.yaml");
  PG_ASSIGN_OR_RETURN(const std::string text, files.read(path));
  PG_ASSIGN_OR_RETURN(const WorkloadSpec spec, workloads::parse_workload(text, path));
  PG_TRY(check_folder(folder, result, spec, files));
  return record_result(store, result, spec.workload_digest, environment);
}

}  // namespace perfgate::cli
