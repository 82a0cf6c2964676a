#include "runner/cli/selftest/corpus.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "baselines/exchange.h"
#include "baselines/record.h"
#include "baselines/select.h"
#include "runner/cli/result_input.h"
#include "runner/cli/run/assess.h"
#include "runner/cli/workload_input.h"

namespace perfgate::cli::selftest {
namespace {

using platform::join_path;

Error damaged(const std::string& path, const std::string& what) {
  return {.code = ErrorCode::corrupt,
          .message = "'" + path + "' " + what,
          .hint = "the corpus is damaged: take a fresh copy of the one that comes with perfgate",
          .context = {}};
}

/// An export's runs, in its order. The import before has checked the text as a whole.
Result<std::vector<baselines::StoredRun>> runs_of(std::string_view lines, const std::string& path) {
  std::vector<baselines::StoredRun> runs;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("run")) continue;
    PG_ASSIGN_OR_RETURN(baselines::StoredRun run,
                        baselines::stored_run_from_json(json["run"].dump()));
    runs.push_back(std::move(run));
  }
  if (runs.empty()) return damaged(path, "holds no run");
  return runs;
}

/// What the gates look at in a point of the store. Its captures are not in it, so the floor (which
/// control bounds the workload) is the candidate's: shapes alone decide it.
RunResult result_of(const baselines::StoredRun& run, const RunResult& candidate) {
  RunResult result;
  result.identity = run.identity;
  result.source = RunSource::replayed;
  result.workload_name = run.workload_name;
  result.measurement.fingerprint = run.fingerprint;
  for (const auto& [index, steps] : run.process_step_ms) {
    ProcessRecord process;
    process.index = index;
    result.measurement.processes.push_back(process);
  }
  for (const MetricValue& metric : run.metrics) {
    if (metric.id.starts_with(kControlPrefix)) {
      result.measurement.controls.push_back(
          {metric.id.substr(kControlPrefix.size()), metric.unit, metric.samples});
    } else {
      result.metrics.push_back(metric);
    }
  }
  const auto validity = validity_from_string(run.capture_validity);
  if (validity.ok()) result.analysis.capture.validity = validity.value();
  TracedProcess traced;
  traced.traced_over_untraced = run.traced_over_untraced.value_or(0.0);
  result.analysis.traced.push_back(traced);
  result.analysis.floor = candidate.analysis.floor;
  return result;
}

Result<Head> read_head(const platform::FileSystem& files, const WorkloadSpec& spec,
                       const std::string& folder, const std::string& name) {
  Head head{.name = name, .folder = folder, .digest = {}, .result = {}};
  PG_ASSIGN_OR_RETURN(const RunResult recorded, read_run_folder(files, folder));
  const baselines::Selection nothing;
  PG_ASSIGN_OR_RETURN(Assessed assessed, assess({.spec = spec,
                                                 .measurement = recorded.measurement,
                                                 .run_folder = folder,
                                                 .identity = recorded.identity,
                                                 .source = RunSource::replayed,
                                                 .baseline = nothing,
                                                 .calibration = std::nullopt},
                                                files));
  head.result = std::move(assessed.result);
  const CaptureVerdict& capture = head.result.analysis.capture;
  if (capture.validity != Validity::valid) {
    return damaged(folder, "holds a capture that is " + std::string(to_string(capture.validity)) +
                               (capture.reasons.empty() ? "" : ": " + capture.reasons.front()));
  }
  return head;
}

Status add_folders(const platform::FileSystem& files, const std::string& folder,
                   Recording& recording) {
  PG_ASSIGN_OR_RETURN(const auto entries, files.list(folder));
  for (const platform::FolderEntry& entry : entries) {
    if (!entry.is_folder) continue;
    PG_ASSIGN_OR_RETURN(
        Head head, read_head(files, recording.spec, join_path(folder, entry.name), entry.name));
    recording.heads.push_back(std::move(head));
  }
  return {};
}

Status add_points(const std::string& lines, const std::string& path, Recording& recording) {
  const auto candidate = std::ranges::find(recording.heads, kCandidate, &Head::name);
  if (candidate == recording.heads.end()) return damaged(path, "stands without a candidate");
  PG_ASSIGN_OR_RETURN(recording.runs, runs_of(lines, path));
  const RunResult judged = candidate->result;
  PG_ASSIGN_OR_RETURN(baselines::StoredRun own,
                      baselines::stored_run_of(judged, recording.spec.workload_digest));
  candidate->digest = baselines::run_digest(own);
  int number = 0;
  for (const baselines::StoredRun& run : recording.runs) {
    recording.heads.push_back({.name = "run " + std::to_string(++number),
                               .folder = {},
                               .digest = baselines::run_digest(run),
                               .result = result_of(run, judged)});
  }
  recording.runs.push_back(std::move(own));
  return {};
}

/// As a replay reads it.
Status import_baseline(const std::string& path, const std::string& lines) {
  PG_ASSIGN_OR_RETURN(baselines::Store store,
                      baselines::Store::open(path, baselines::OpenMode::record));
  PG_TRY(baselines::import_lines(store, lines));
  return {};
}

Status record_candidate(const Recording& recording) {
  PG_ASSIGN_OR_RETURN(baselines::Store store,
                      baselines::Store::open(recording.store, baselines::OpenMode::record));
  PG_TRY(baselines::record(store, recording.runs.back()));
  return {};
}

}  // namespace

Result<Recording> load_recording(const platform::FileSystem& files, const std::string& corpus,
                                 const std::string& name, const std::string& temporary) {
  const std::string folder = join_path(corpus, name);
  Recording recording;
  PG_ASSIGN_OR_RETURN(recording.spec,
                      read_workload(files, join_path(folder, "candidate/workload.yaml")));
  const std::string path = join_path(folder, "baseline.jsonl");
  PG_ASSIGN_OR_RETURN(const std::string lines, files.read(path));
  recording.store = join_path(temporary, name + ".db");
  PG_TRY(import_baseline(recording.store, lines));
  PG_TRY(add_folders(files, folder, recording));
  PG_TRY(add_points(lines, path, recording));
  PG_TRY(record_candidate(recording));
  return recording;
}

Status make_store(const std::string& path, const Recording& recording, int count,
                  const std::string& without) {
  PG_ASSIGN_OR_RETURN(baselines::Store store,
                      baselines::Store::open(path, baselines::OpenMode::record));
  std::vector<const baselines::StoredRun*> others;
  for (const baselines::StoredRun& run : recording.runs) {
    if (baselines::run_digest(run) != without) others.push_back(&run);
  }
  const std::size_t wanted = static_cast<std::size_t>(count);
  if (others.size() < wanted) return damaged(path, "is to hold more runs than were recorded");
  for (const baselines::StoredRun* run : std::span(others).last(wanted)) {
    PG_TRY(baselines::record(store, *run));
  }
  return {};
}

}  // namespace perfgate::cli::selftest
