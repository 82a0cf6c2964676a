#include "baselines/select.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "baselines/database.h"
#include "baselines/known_levels.h"
#include "baselines/rows.h"
#include "baselines/run_scan.h"
#include "baselines/stored_run.h"

namespace perfgate::baselines {
namespace {

/// Digits of a digest that are shown.
constexpr std::size_t kShownDigest = 10;

struct SelectedRun {
  std::int64_t id = 0;
  StoredRun run{};
};

/// The newest run of that name which could have served but for its environment, workload or
/// version.
std::optional<std::int64_t> find_other(SQLite::Database& database, const SelectionQuery& query) {
  SQLite::Statement row(
      database,
      "SELECT id FROM runs NOT INDEXED WHERE workload_name = ?1 AND (?2 = '' OR branch = ?2) "
      "AND (?3 OR source = 'measured') AND digest <> ?4 "
      "AND (workload_digest <> ?5 OR environment_key <> ?6 OR measure_version <> ?7) "
      "ORDER BY started_utc DESC, id DESC LIMIT 1");
  row.bind(1, query.workload_name);
  row.bind(2, query.branch);
  row.bind(3, query.replay_store ? 1 : 0);
  row.bind(4, query.exclude_digest);
  row.bind(5, query.workload_digest);
  row.bind(6, environment_key(query.fingerprint));
  row.bind(7, query.measure_version);
  if (!row.executeStep()) return std::nullopt;
  return row.getColumn(0).getInt64();
}

/// Whether the branch has a run of another workload.
bool has_others(SQLite::Database& database, const SelectionQuery& query) {
  SQLite::Statement row(
      database,
      "SELECT 1 FROM runs NOT INDEXED WHERE workload_name <> ?1 AND (?2 = '' OR branch = ?2) "
      "AND (?3 OR source = 'measured') LIMIT 1");
  row.bind(1, query.workload_name);
  row.bind(2, query.branch);
  row.bind(3, query.replay_store ? 1 : 0);
  return row.executeStep();
}

/// What is read here asks no index, but others do, and where one flipped bit is there are more:
/// each index must give as many of this query's runs as the rows themselves do.
Status check_indexes(SQLite::Database& database, const std::string& path,
                     const SelectionQuery& query, const RunScan& scan) {
  SQLite::Statement counts(
      database,
      "SELECT (SELECT count(*) FROM runs INDEXED BY runs_by_series "
      "  WHERE workload_digest = ?1 AND environment_key = ?2), "
      "(SELECT count(*) FROM runs INDEXED BY runs_by_name WHERE workload_name = ?3)");
  counts.bind(1, query.workload_digest);
  counts.bind(2, environment_key(query.fingerprint));
  counts.bind(3, query.workload_name);
  if (!counts.executeStep()) return {};
  const auto count = [&](int column) { return counts.getColumn(column).getInt64(); };
  if (count(0) == scan.of_series && count(1) == scan.of_name) return {};
  return Error{.code = ErrorCode::corrupt,
               .message = "the store " + path + " is damaged: an index hides runs",
               .hint = "restore a snapshot, or build its indexes anew: sqlite3 " + path +
                       " REINDEX, then perfgate doctor",
               .context = {}};
}

/// The selected runs, oldest first, as they were recorded. A damaged run has no part in a verdict,
/// be it by its values or because a damaged name, key or version hides it: besides the selected
/// runs the newest ones of the workload's name are looked at, whatever else is said of them.
Result<std::vector<SelectedRun>> read_whole(SQLite::Database& database, const std::string& path,
                                            const RunScan& scan) {
  std::map<std::int64_t, StoredRun> whole;
  for (const auto* ids : {&scan.selected, &scan.newest_of_name}) {
    for (const std::int64_t id : *ids) whole[id];
  }
  for (auto& [id, run] : whole) {
    PG_ASSIGN_OR_RETURN(run, read_run(database, path, id));
  }
  std::vector<SelectedRun> runs;
  runs.reserve(scan.selected.size());
  for (auto id = scan.selected.rbegin(); id != scan.selected.rend(); ++id) {
    runs.push_back({*id, std::move(whole[*id])});
  }
  return runs;
}

Status describe_other(SQLite::Database& database, const std::string& path,
                      const SelectionQuery& query, std::int64_t id, BaselineChoice& choice) {
  PG_ASSIGN_OR_RETURN(const StoredRun other, read_run(database, path, id));
  choice.comparability = compare_fingerprints(other.fingerprint, query.fingerprint);
  if (other.workload_digest != query.workload_digest) {
    choice.comparability.environment.push_back(
        {"workload_digest", other.workload_digest, query.workload_digest});
  }
  if (other.identity.measure_version != query.measure_version) {
    choice.comparability.environment.push_back({"measure_version",
                                                std::to_string(other.identity.measure_version),
                                                std::to_string(query.measure_version)});
  }
  choice.how = "store: no comparable run; the newest of this workload is " +
               other.identity.commit.substr(0, 7) + " (" +
               other.identity.started_utc.substr(0, 10) + ")";
  if (other.workload_digest != query.workload_digest) {
    choice.how += ", run " + std::to_string(id) + " of workload digest " +
                  other.workload_digest.substr(0, kShownDigest) + ", here " +
                  query.workload_digest.substr(0, kShownDigest);
  }
  return {};
}

std::string ids_of(const std::vector<SelectedRun>& runs) {
  std::vector<std::int64_t> ids;
  ids.reserve(runs.size());
  for (const SelectedRun& run : runs) ids.push_back(run.id);
  return nlohmann::json(ids).dump();
}

/// Values of two units, kinds or directions are two series, whatever their name.
struct SeriesId {
  std::string metric;
  MetricKind kind = MetricKind::timed;
  std::string unit;
  Better better = Better::lower;
  auto operator<=>(const SeriesId&) const = default;
};
using SeriesMap = std::map<SeriesId, BaselineSeries>;

/// Per metric, the newest mark for that metric alone among the selected runs; earlier points leave.
/// Returns what to say of it: "; step_time_p50 since run 11 (1 run; its level began anew there)".
std::string cut_at_metric_marks(SQLite::Database& database,
                                const std::vector<SelectedRun>& oldest_first, SeriesMap& series) {
  std::map<std::int64_t, std::size_t> place;
  for (std::size_t i = 0; i < oldest_first.size(); ++i) place[oldest_first[i].id] = i;
  SQLite::Statement rows(database,
                         "SELECT metric, first_run FROM level_marks WHERE metric <> '' "
                         "AND first_run IN (SELECT value FROM json_each(?))");
  rows.bind(1, ids_of(oldest_first));
  std::map<std::string, std::size_t> level;
  while (rows.executeStep()) {
    const std::string metric = rows.getColumn(0).getString();
    const std::size_t first = place[rows.getColumn(1).getInt64()];
    for (auto& [id, of_metric] : series) {
      if (id.metric != metric) continue;
      std::erase_if(of_metric.points,
                    [&](const BaselinePoint& point) { return place[point.run] < first; });
      level[metric] = std::max(level[metric], first);
    }
  }
  std::string said;
  for (const auto& [metric, first] : level) {
    if (first == 0) continue;
    const std::size_t runs = oldest_first.size() - first;
    said += "; " + metric + " since run " + std::to_string(oldest_first[first].id) + " (" +
            std::to_string(runs) + (runs == 1 ? " run" : " runs") + "; its level began anew there)";
  }
  return said;
}

std::vector<SelectedMark> marks_among(SQLite::Database& database,
                                      const std::vector<SelectedRun>& oldest_first) {
  std::map<std::int64_t, std::size_t> place;
  for (std::size_t i = 0; i < oldest_first.size(); ++i) place[oldest_first[i].id] = i;
  SQLite::Statement rows(database,
                         "SELECT first_run, metric, reason FROM level_marks "
                         "WHERE first_run IN (SELECT value FROM json_each(?)) ORDER BY id");
  rows.bind(1, ids_of(oldest_first));
  std::vector<SelectedMark> marks;
  while (rows.executeStep()) {
    marks.push_back({rows.getColumn(0).getInt64(), rows.getColumn(1).getString(),
                     rows.getColumn(2).getString()});
  }
  std::ranges::stable_sort(marks, {},
                           [&](const SelectedMark& mark) { return place.at(mark.first_run); });
  return marks;
}

/// The values that the digests were formed of.
SeriesMap series_of_runs(const SelectionQuery& query,
                         const std::vector<SelectedRun>& oldest_first) {
  const std::set<std::string> wanted(query.metrics.begin(), query.metrics.end());
  SeriesMap series;
  for (const SelectedRun& each : oldest_first) {
    const std::string instance = instance_of(each.run.fingerprint);
    for (const MetricValue& metric : each.run.metrics) {
      if (!wanted.empty() && !wanted.contains(metric.id)) continue;
      BaselineSeries& of_metric = series[{metric.id, metric.kind, metric.unit, metric.better}];
      of_metric.metric = metric.id;
      of_metric.kind = metric.kind;
      of_metric.unit = metric.unit;
      of_metric.better = metric.better;
      of_metric.points.push_back({each.id, each.run.identity.commit, each.run.identity.started_utc,
                                  instance, metric.samples, metric.value});
    }
  }
  return series;
}

void fill_choice(const SelectionQuery& query, const std::vector<SelectedRun>& oldest_first,
                 Selection& selection) {
  const StoredRun& newest = oldest_first.back().run;
  selection.newest = newest.fingerprint;
  selection.traced_over_untraced = newest.traced_over_untraced;
  BaselineChoice& choice = selection.choice;
  choice.exists = true;
  choice.commit = newest.identity.commit;
  choice.how = "store: " + std::to_string(oldest_first.size()) +
               (oldest_first.size() == 1 ? " run" : " runs") +
               (query.branch.empty() ? "" : " on branch " + query.branch) +
               (query.ancestry.empty() ? ", newest " : ", nearest measured ancestor ") +
               choice.commit.substr(0, 7) + " (" + newest.identity.started_utc.substr(0, 10) + ")";
  choice.comparability = compare_fingerprints(selection.newest, query.fingerprint);
  choice.comparability.environment.clear();  // selected by an equal environment
}

/// What the store has when none of it is of an ancestor; empty if it has nothing.
Result<std::string> describe_strangers(SQLite::Database& database, const std::string& path,
                                       const SelectionQuery& query) {
  if (query.ancestry.empty()) return std::string();
  SelectionQuery any = query;
  any.ancestry.clear();
  any.max_runs = 1;
  const RunScan scan = scan_runs(database, any);
  if (scan.selected.empty()) return std::string();
  PG_ASSIGN_OR_RETURN(const StoredRun newest, read_run(database, path, scan.selected.front()));
  const std::string& commit = newest.identity.commit;
  return "store: no run of an ancestor of this commit" +
         (query.ancestry_is_cut
              ? " (of " + std::to_string(query.ancestry.size()) + " that were looked at)"
              : std::string()) +
         (query.branch.empty() ? std::string() : " on branch " + query.branch) +
         "; the newest is of " + (commit.empty() ? "an unknown commit" : commit.substr(0, 7)) +
         " (" + newest.identity.started_utc.substr(0, 10) + ")" +
         (query.ancestry_is_cut ? ", which is none of them" : ", which it did not grow from");
}

Result<Selection> select_in(SQLite::Database& database, const std::string& path,
                            const SelectionQuery& query) {
  Selection selection;
  const RunScan scan = scan_runs(database, query);
  PG_TRY(check_indexes(database, path, query, scan));
  PG_ASSIGN_OR_RETURN(const std::vector<SelectedRun> runs, read_whole(database, path, scan));
  if (runs.empty()) {
    PG_ASSIGN_OR_RETURN(selection.choice.how, describe_strangers(database, path, query));
    selection.choice.no_ancestor = !selection.choice.how.empty();
    if (selection.choice.no_ancestor) return selection;
    selection.choice.how = "store: no run of this workload" +
                           (query.branch.empty() ? std::string() : " on branch " + query.branch);
    if (const auto other = find_other(database, query)) {
      PG_TRY(describe_other(database, path, query, *other, selection.choice));
    } else {
      selection.others_only = has_others(database, query);
    }
    return selection;
  }
  for (auto each = runs.rbegin(); each != runs.rend(); ++each) {
    const StoredRun& run = each->run;
    if (says_nothing(run.work)) continue;
    // What a dirty run ran is of no commit: it cannot show that one commit gives several outputs.
    selection.work.push_back(
        {each->id, run.identity.dirty ? std::string() : run.identity.commit, run.work});
  }
  fill_choice(query, runs, selection);
  SeriesMap series = series_of_runs(query, runs);
  if (query.across_levels) {
    selection.marks = marks_among(database, runs);
  } else {
    selection.choice.how += cut_at_metric_marks(database, runs, series);
  }
  for (auto& [id, of_metric] : series) selection.series.push_back(std::move(of_metric));
  PG_TRY(add_known_levels(database, path, query, selection));
  return selection;
}

}  // namespace

Result<Selection> select(const Store& store, const SelectionQuery& query) {
  return guarded(store.path(), [&]() -> Result<Selection> {
    // One read transaction: a run recorded meanwhile is in all of the queries or in none.
    SQLite::Transaction transaction(store.database());
    return select_in(store.database(), store.path(), query);
  });
}

}  // namespace perfgate::baselines
