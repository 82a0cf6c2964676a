#include "runner/cli/selftest/examine.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "runner/cli/result_input.h"
#include "runner/cli/run/assess.h"
#include "runner/cli/selftest/change.h"
#include "runner/cli/selftest/corpus.h"
#include "runner/cli/store_access.h"

namespace perfgate::cli::selftest {
namespace {

using Target = Change::Target;
using Action = Change::Action;
using platform::join_path;

/// Figures are formed out of files: a case that changes figures cannot start from these.
bool starts_from_files(const Case& of) {
  const bool figures =
      std::ranges::find(of.changes, Target::metric, &Change::target) != of.changes.end();
  return std::ranges::any_of(of.changes, [&](const Change& change) {
    return needs_folder(change.target) && !(figures && is_of_work(change));
  });
}

const Change* find_change(const Case& of, Target target) {
  const auto found = std::ranges::find(of.changes, target, &Change::target);
  return found == of.changes.end() ? nullptr : &*found;
}

/// A store in a case's own state, and what was judged against it.
class Bench {
 public:
  Bench(const platform::FileSystem& files, std::string temporary)
      : files_(files), temporary_(std::move(temporary)) {}

  /// What came out; an Error only where the corpus is at fault.
  Result<RunResult> judge(const Case& of, const Recording& recording, const Head& head) {
    WorkloadSpec spec = recording.spec;
    if (!of.gates.empty()) spec.gates = of.gates;
    if (const Change* change = find_change(of, Target::workload)) {
      spec.workload_digest = change->text;
    }
    PG_ASSIGN_OR_RETURN(const BaselinePlace place, place_of(of, recording, head));
    if (starts_from_files(of)) return judge_folder(of, spec, place, head);
    return judge_figures(of, spec, place, head.result);
  }

 private:
  Result<BaselinePlace> place_of(const Case& of, const Recording& recording, const Head& head) {
    BaselinePlace place{.store = recording.store,
                        .branch = {},
                        .replay_store = true,
                        .exclude_digest = head.digest,
                        .ancestry = {},
                        .unchanging = true};
    const Change* change = find_change(of, Target::store);
    if (change == nullptr) return place;
    if (change->action == Action::head) {
      place.exclude_digest.clear();
      return place;
    }
    place.store = join_path(temporary_, "case" + std::to_string(++stores_) + ".db");
    if (change->action == Action::gone) return place;
    PG_TRY(make_store(place.store, recording, static_cast<int>(change->number), head.digest));
    return place;
  }

  /// From the metrics on.
  static Result<RunResult> judge_figures(const Case& of, const WorkloadSpec& spec,
                                         const BaselinePlace& place, RunResult result) {
    PG_TRY(change_result(of.changes, result));
    PG_TRY(change_processes(of.changes, result.measurement));
    PG_ASSIGN_OR_RETURN(const baselines::Selection baseline,
                        select_baseline(place, spec, result.measurement.fingerprint));
    result.baseline = baseline.choice;
    gates::GateOutput output = judge_result(spec, baseline, result);
    result.comparisons = std::move(output.comparisons);
    result.verdict = std::move(output.verdict);
    return result;
  }

  /// From the files on. What they cannot be used for is an invalid run, as it is for `perfgate run
  /// --replay`, which ends with the same exit code.
  Result<RunResult> judge_folder(const Case& of, const WorkloadSpec& spec,
                                 const BaselinePlace& place, const Head& head) const {
    if (head.folder.empty()) {
      return Error{.code = ErrorCode::corrupt,
                   .message = head.name + " is a point of the store and has no files to change",
                   .hint = "name a run folder: heads: candidate",
                   .context = {}};
    }
    OverlayFiles files(files_);
    PG_TRY(change_files(of.changes, head.result.measurement, head.folder, files));
    auto recorded = read_run_folder(files, head.folder);
    if (!recorded.ok()) return unreadable(recorded.error());
    Measurement measurement = std::move(recorded).value().measurement;
    PG_TRY(change_processes(of.changes, measurement));
    PG_ASSIGN_OR_RETURN(const baselines::Selection baseline,
                        select_baseline(place, spec, measurement.fingerprint));
    auto assessed = assess({.spec = spec,
                            .measurement = measurement,
                            .run_folder = head.folder,
                            .identity = head.result.identity,
                            .source = RunSource::replayed,
                            .baseline = baseline,
                            .calibration = std::nullopt},
                           files);
    if (!assessed.ok()) return unreadable(assessed.error());
    return std::move(assessed).value().result;
  }

  static Result<RunResult> unreadable(const Error& error) {
    if (exit_code(error.code) != kExitInvalid) return error;
    RunResult result;
    result.verdict = {.outcome = Outcome::invalid,
                      .reasons = {{.code = "error", .text = error.message}},
                      .policies = {}};
    return result;
  }

  const platform::FileSystem& files_;
  std::string temporary_;
  int stores_ = 0;
};

bool says(const RunResult& result, const std::string& words) {
  const auto has = [&](const std::string& text) { return text.find(words) != std::string::npos; };
  return std::ranges::any_of(result.verdict.reasons, has, &Reason::text) ||
         std::ranges::any_of(result.comparisons, has, &Comparison::reason) ||
         std::ranges::any_of(result.analysis.capture.reasons, has);
}

Fault fault_of(const Case& of, const RunResult& result) {
  const Outcome outcome = result.verdict.outcome;
  const bool expected = std::ranges::find(of.expected, outcome) != of.expected.end();
  const bool flagged =
      !of.improved || std::ranges::any_of(result.comparisons, &Comparison::improved);
  if (expected && flagged && says(result, of.says)) return Fault::none;
  const bool red = outcome == Outcome::fail || outcome == Outcome::suspected;
  if (of.kind == Kind::a_a && red) return Fault::trigger_happy;
  if (outcome != Outcome::pass) return Fault::otherwise;
  if (of.kind == Kind::regression) return Fault::blind;
  const bool missing = of.kind == Kind::invalid || of.kind == Kind::too_few;
  return missing && !expected ? Fault::green_on_missing : Fault::otherwise;
}

std::string reason_of(const RunResult& result) {
  if (!result.verdict.reasons.empty()) return result.verdict.reasons.front().text;
  return result.comparisons.empty() ? "no reason was given" : result.comparisons.front().reason;
}

/// `each`: all runs that nothing was planted in, which are those of the store.
std::vector<const Head*> heads_of(const Case& of, const Recording& recording) {
  std::vector<const Head*> heads;
  for (const Head& head : recording.heads) {
    const bool wanted = of.heads == kEachHead ? !head.digest.empty() : head.name == of.heads;
    if (wanted) heads.push_back(&head);
  }
  return heads;
}

Error at_case(Error error, const Case& of, const std::string& path) {
  error.context = path + ":" + std::to_string(of.line) + ": case '" + of.name + "'" +
                  (error.context.empty() ? "" : "\n" + error.context);
  if (exit_code(error.code) != kExitInvalid) error.code = ErrorCode::corrupt;
  return error;
}

Status run_case(std::size_t index, const std::map<std::string, Recording>& recordings, Bench& bench,
                Examined& examined) {
  const Case& of = examined.cases[index];
  for (const std::string& name : of.recordings) {
    const Recording& recording = recordings.at(name);
    const std::vector<const Head*> heads = heads_of(of, recording);
    if (heads.empty()) {
      return Error{.code = ErrorCode::corrupt,
                   .message = "the recording " + name + " has no run '" + of.heads + "'",
                   .hint = "heads: each, candidate, or the name of a run folder in it",
                   .context = {}};
    }
    for (const Head* head : heads) {
      PG_ASSIGN_OR_RETURN(const RunResult result, bench.judge(of, recording, *head));
      examined.trials.push_back({.of = index,
                                 .recording = name,
                                 .head = head->name,
                                 .outcome = result.verdict.outcome,
                                 .reason = reason_of(result),
                                 .fault = fault_of(of, result)});
    }
  }
  return {};
}

}  // namespace

Result<Examined> examine(const platform::FileSystem& files, const std::string& corpus,
                         const std::string& temporary, const Progress& progress) {
  const std::string path = join_path(corpus, kCasesFile);
  PG_ASSIGN_OR_RETURN(const std::string text, files.read(path));
  Examined examined;
  PG_ASSIGN_OR_RETURN(examined.cases, parse_cases(text, path));
  std::map<std::string, Recording> recordings;
  Bench bench(files, temporary);
  for (std::size_t i = 0; i < examined.cases.size(); ++i) {
    PG_TRY(progress(i, examined.cases.size()));
    const Case& of = examined.cases[i];
    for (const std::string& name : of.recordings) {
      if (recordings.contains(name)) continue;
      auto recording = load_recording(files, corpus, name, temporary);
      if (!recording.ok()) return at_case(std::move(recording).error(), of, path);
      recordings.emplace(name, std::move(recording).value());
    }
    if (Status ran = run_case(i, recordings, bench, examined); !ran.ok()) {
      return at_case(std::move(ran).error(), of, path);
    }
  }
  return examined;
}

}  // namespace perfgate::cli::selftest
