#include "runner/cli/trend/trend_report.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "baselines/drills.h"
#include "baselines/history.h"
#include "baselines/maintenance.h"
#include "baselines/select.h"
#include "baselines/stored_run.h"
#include "gates/comparability.h"
#include "gates/trend.h"
#include "gates/wording.h"
#include "runner/cli/drill/drill_report.h"
#include "runner/cli/store_access.h"
#include "runner/model/outcome.h"

namespace perfgate::cli {
namespace {

using baselines::RecordedRun;
using baselines::RecordedSeries;
using baselines::Selection;

constexpr std::size_t kDayLength = 10;  // "2026-04-11"
constexpr std::size_t kMostNames = 8;

/// One workload before all metrics are watched together.
struct Gathered {
  TrendWorkload workload{};
  std::vector<gates::TrendInput> inputs{};
};

std::string day(const std::string& utc) { return utc.substr(0, kDayLength); }

std::string runs_of(std::size_t count) { return gates::count_of(static_cast<int>(count), "run"); }

bool is_wanted(const TrendRequest& request, const std::string& name) {
  return request.workloads.empty() ||
         std::ranges::find(request.workloads, name) != request.workloads.end();
}

/// The series of a name: those that go on, and the others.
struct Named {
  std::vector<const RecordedSeries*> current{};
  std::vector<const RecordedSeries*> ended{};          ///< of other environments
  std::vector<const RecordedSeries*> other_version{};  ///< of the workload file
};

/// Empty `digest`: the newest run's.
Named series_named(const std::vector<RecordedSeries>& all, const std::string& name,
                   std::string digest) {
  const auto last = [](const RecordedSeries* series) { return series->runs.back().started_utc; };
  Named named;
  std::vector<const RecordedSeries*> series;
  for (const RecordedSeries& each : all) {
    if (each.workload_name == name) series.push_back(&each);
  }
  if (series.empty()) return named;
  if (digest.empty()) digest = (*std::ranges::max_element(series, {}, last))->workload_digest;
  for (const RecordedSeries* each : series) {
    if (each->workload_digest != digest) {
      named.other_version.push_back(each);
      continue;
    }
    const bool ended = std::ranges::any_of(series, [&](const RecordedSeries* other) {
      return other->workload_digest == digest &&
             other->runs.front().started_utc > each->runs.back().started_utc;
    });
    (ended ? named.ended : named.current).push_back(each);
  }
  return named;
}

/// The recorded runs of the selection: those that any series has a value of.
std::map<std::int64_t, const BaselinePoint*> selected_runs(const Selection& selection) {
  std::map<std::int64_t, const BaselinePoint*> runs;
  for (const BaselineSeries& series : selection.series) {
    for (const BaselinePoint& point : series.points) runs.emplace(point.run, &point);
  }
  return runs;
}

/// Of the metric; where the store has several units or directions, the newest run's.
const BaselineSeries* newest_series(const Selection& selection, const std::string& metric) {
  const BaselineSeries* found = nullptr;
  for (const BaselineSeries& series : selection.series) {
    if (series.metric != metric || series.points.empty()) continue;
    if (found == nullptr || series.points.back().recorded_utc > found->points.back().recorded_utc) {
      found = &series;
    }
  }
  return found;
}

gates::TrendInput input_of(const GateSpec& gate, const Selection& selection) {
  gates::TrendInput input;
  input.gate = gate;
  const BaselineSeries* series = newest_series(selection, gate.metric);
  if (series == nullptr) return input;
  input.kind = series->kind;
  input.better = gate.better.value_or(series->better.value_or(Better::lower));
  input.history = *series;
  for (const baselines::SelectedMark& mark : selection.marks) {
    if (mark.metric.empty() || mark.metric == gate.metric)
      input.marks.push_back({.first_run = mark.first_run, .reason = mark.reason});
  }
  for (const baselines::SelectedPin& pin : selection.pins) {
    if (pin.metric != gate.metric || pin.unit != series->unit) continue;
    input.pin =
        gates::TrendPin{.at = {.run = pin.run, .commit = pin.commit, .utc = pin.recorded_utc},
                        .set_utc = pin.set_utc,
                        .reason = pin.reason};
  }
  return input;
}

std::vector<GateSpec> gates_of(const WorkloadSpec* spec, const Selection& selection) {
  if (spec != nullptr) return spec->gates;
  std::vector<GateSpec> gates;
  const auto add = [&](const std::string& metric) {
    if (std::ranges::find(gates, metric, &GateSpec::metric) != gates.end()) return;
    GateSpec gate;
    gate.metric = metric;
    gates.push_back(std::move(gate));
  };
  add("step_time_p50");
  for (const baselines::SelectedPin& pin : selection.pins) add(pin.metric);
  return gates;
}

/// What the newest runs do not have any more stands still, and would look steady.
void note_stale(const gates::TrendInput& input, TrendWorkload& workload) {
  const auto& points = input.history.points;
  if (points.empty() || points.back().recorded_utc >= workload.newest.utc) return;
  workload.notes.push_back("the newest run does not have " + input.gate.metric +
                           "; the last one that does is run " + std::to_string(points.back().run) +
                           " (" + day(points.back().recorded_utc) + ")");
}

std::string environment_words(const Fingerprint& fingerprint) {
  std::string words;
  for (const char* key : {"gpu", "driver"}) {
    const auto found = fingerprint.environment.find(key);
    if (found == fingerprint.environment.end()) continue;
    words += (words.empty() ? "" : ", ") +
             (std::string(key) == "gpu" ? std::string() : std::string(key) + " ") + found->second;
  }
  return words;
}

/// Runs by date; the newest one is the selection's own newest, which the line of commits tells.
void describe_runs(const RecordedSeries& series, const Selection& selection,
                   const TrendRequest& request, TrendWorkload& workload) {
  const auto selected = selected_runs(selection);
  const auto ancestors = std::set(request.ancestry.commits.begin(), request.ancestry.commits.end());
  std::set<std::string> gpus;
  std::size_t strangers = 0;
  const RecordedRun* newest = nullptr;
  for (const RecordedRun& run : series.runs) {
    strangers += !ancestors.empty() && !ancestors.contains(run.commit) ? 1 : 0;
    const auto found = selected.find(run.run);
    if (found == selected.end()) continue;
    const TrendRun named{.run = run.run, .commit = run.commit, .utc = run.started_utc};
    gpus.insert(found->second->instance);
    ++workload.runs;
    if (workload.runs == 1) workload.oldest = named;
    if (run.outcome == to_string(Outcome::fail)) workload.failed.push_back(named);
    if (run.commit != selection.choice.commit) continue;
    newest = &run;
    workload.newest = named;
  }
  workload.gpus = static_cast<int>(gpus.size());
  const auto accepted = [&](std::int64_t run) {
    return std::ranges::find(selection.marks, run, &baselines::SelectedMark::first_run) !=
               selection.marks.end() ||
           std::ranges::find(selection.pins, run, &baselines::SelectedPin::run) !=
               selection.pins.end();
  };
  workload.newest_failed =
      newest != nullptr && newest->outcome == to_string(Outcome::fail) && !accepted(newest->run);
  if (strangers > 0) {
    workload.notes.push_back(runs_of(strangers) +
                             " of commits that this checkout did not grow from " +
                             (strangers == 1 ? "is" : "are") + " left out");
  }
}

void describe_drills(const std::vector<baselines::DrillTrial>& trials, const std::string& key,
                     TrendWorkload& workload) {
  for (const DrillReport& report : drill_reports(trials)) {
    if (report.environment_key != key) continue;
    for (const DrillRate& rate : report.rates) workload.drills_not_judged += rate.not_judged;
    workload.drills = drill_shares(report);
  }
}

/// What stands beside a series and is not compared with it.
Status describe_others(const Named& named, const Fingerprint& fingerprint,
                       const baselines::Store& store, TrendWorkload& workload) {
  for (const RecordedSeries* other : named.ended) {
    PG_ASSIGN_OR_RETURN(const auto run, baselines::show_run(store, other->runs.back().run));
    workload.notes.push_back(
        "another environment before: " + runs_of(other->runs.size()) + " until " +
        day(other->runs.back().started_utc) + " are not compared; " +
        gates::describe(compare_fingerprints(run.fingerprint, fingerprint).environment));
  }
  std::size_t older = 0;
  std::string until;
  for (const RecordedSeries* other : named.other_version) {
    older += other->runs.size();
    until = std::max(until, day(other->runs.back().started_utc));
  }
  if (older > 0) {
    workload.notes.push_back(runs_of(older) +
                             " of another version of the workload file, the last on " + until +
                             ", " + (older == 1 ? "is" : "are") + " not compared");
  }
  return {};
}

Result<Gathered> gather_series(const RecordedSeries& series, const WorkloadSpec* spec,
                               const Named& named, const TrendRequest& request,
                               const baselines::Store& store) {
  Gathered gathered;
  TrendWorkload& workload = gathered.workload;
  workload.workload = series.workload_name;
  if (spec != nullptr) workload.path = spec->path;
  PG_ASSIGN_OR_RETURN(const auto newest, baselines::show_run(store, series.runs.back().run));
  workload.environment = environment_words(newest.fingerprint);
  baselines::SelectionQuery query;
  query.workload_name = series.workload_name;
  query.workload_digest = series.workload_digest;
  query.branch = request.branch;
  query.fingerprint = newest.fingerprint;
  query.ancestry = request.ancestry.commits;
  query.ancestry_is_cut = request.ancestry.is_cut;
  query.max_runs = request.last;
  query.across_levels = true;
  PG_ASSIGN_OR_RETURN(const Selection selection, baselines::select(store, query));
  PG_TRY(describe_others(named, newest.fingerprint, store, workload));
  PG_ASSIGN_OR_RETURN(const auto trials, baselines::drill_trials(store, series.workload_digest));
  describe_drills(trials, series.environment_key, workload);
  if (!selection.choice.exists) {
    workload.notes.insert(workload.notes.begin(), selection.choice.how);
    return gathered;
  }
  describe_runs(series, selection, request, workload);
  for (const GateSpec& gate : gates_of(spec, selection)) {
    gathered.inputs.push_back(input_of(gate, selection));
    note_stale(gathered.inputs.back(), workload);
  }
  if (spec == nullptr) {
    workload.notes.emplace_back(
        "its gates are not known without the workload file: watched are step_time_p50 and what is "
        "pinned, with automatic margins");
  }
  return gathered;
}

std::string names_in(const std::vector<RecordedSeries>& all) {
  std::vector<std::string> names;
  for (const RecordedSeries& series : all) {
    if (names.empty() || names.back() != series.workload_name)
      names.push_back(series.workload_name);
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
    text += (i == 0 ? "; there are " : ", ") + names[i];
  return text + (names.size() > kMostNames ? ", ..." : "");
}

Status gather_name(const std::string& name, const WorkloadSpec* spec,
                   const std::vector<RecordedSeries>& all, const TrendRequest& request,
                   const baselines::Store& store, std::vector<Gathered>& gathered) {
  const Named named =
      series_named(all, name, spec == nullptr ? std::string() : spec->workload_digest);
  for (const RecordedSeries* series : named.current) {
    PG_ASSIGN_OR_RETURN(Gathered one, gather_series(*series, spec, named, request, store));
    gathered.push_back(std::move(one));
  }
  if (!named.current.empty()) return {};
  Gathered none{.workload = {.workload = name, .path = spec == nullptr ? "" : spec->path}};
  if (named.other_version.empty()) {
    none.workload.notes.push_back("no run is recorded on branch " + request.branch + names_in(all));
  }
  PG_TRY(describe_others(named, {}, store, none.workload));
  gathered.push_back(std::move(none));
  return {};
}

/// The files' workloads, else the named ones, else all.
Result<std::vector<Gathered>> gather(const std::vector<RecordedSeries>& all,
                                     const TrendRequest& request, const baselines::Store& store) {
  std::vector<Gathered> gathered;
  std::set<std::string> seen;
  for (const WorkloadSpec& spec : request.specs) {
    if (!is_wanted(request, spec.name) || !seen.insert(spec.name).second) continue;
    PG_TRY(gather_name(spec.name, &spec, all, request, store, gathered));
  }
  std::vector<std::string> names = request.workloads;
  if (names.empty() && request.specs.empty()) {
    for (const RecordedSeries& series : all) names.push_back(series.workload_name);
  }
  for (const std::string& name : names) {
    if (!seen.insert(name).second) continue;
    PG_TRY(gather_name(name, nullptr, all, request, store, gathered));
  }
  return gathered;
}

/// The ancestry, if it tells an order of what is recorded; else the reason why not, in `order`.
TrendRequest with_order(TrendRequest request, const std::vector<RecordedSeries>& all,
                        std::string& order) {
  Ancestry& ancestry = request.ancestry;
  const std::set<std::string> line(ancestry.commits.begin(), ancestry.commits.end());
  const bool known = std::ranges::any_of(all, [&](const RecordedSeries& series) {
    return std::ranges::any_of(series.runs,
                               [&](const RecordedRun& run) { return line.contains(run.commit); });
  });
  if (known) {
    order = "in the order of the first-parent line of " + request.branch;
    return request;
  }
  order =
      "in the order of dates: " +
      (!ancestry.note.empty() ? ancestry.note : "this checkout has none of the recorded commits");
  ancestry = {};
  return request;
}

}  // namespace

Result<TrendReport> form_trend(const TrendRequest& asked, const baselines::Store& store) {
  TrendReport report{
      .store = asked.store, .branch = asked.branch, .now_utc = asked.now_utc, .last = asked.last};
  PG_ASSIGN_OR_RETURN(const std::vector<RecordedSeries> all,
                      baselines::recorded_series(store, asked.branch));
  const TrendRequest request = with_order(asked, all, report.order);
  PG_ASSIGN_OR_RETURN(std::vector<Gathered> gathered, gather(all, request, store));
  std::vector<gates::TrendInput> inputs;
  for (const Gathered& each : gathered)
    inputs.insert(inputs.end(), each.inputs.begin(), each.inputs.end());
  gates::Watched watched = gates::watch(inputs);
  report.watched = watched.watched;
  auto metric = watched.metrics.begin();
  for (Gathered& each : gathered) {
    const auto end = metric + static_cast<std::ptrdiff_t>(each.inputs.size());
    each.workload.metrics.assign(std::make_move_iterator(metric), std::make_move_iterator(end));
    metric = end;
    report.workloads.push_back(std::move(each.workload));
  }
  return report;
}

}  // namespace perfgate::cli
