#include "baselines/select.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "baselines/database.h"
#include "baselines/known_levels.h"
#include "baselines/rows.h"
#include "baselines/stored_run.h"

namespace perfgate::baselines {
namespace {

/// Digits of a digest that are shown.
constexpr std::size_t kShownDigest = 10;

struct SelectedRun {
  std::int64_t id = 0;
  std::string commit;
  std::string utc;
  std::string instance;
  std::optional<double> traced_over_untraced;
  WorkDone work{};
  bool dirty = false;
};

/// Text lists go into SQL as one JSON array and come out through json_each: no SQL is ever built.
std::string json_list(const std::vector<std::string>& values) {
  return nlohmann::json(values).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Nearest first where the ancestry is known, else newest first. A level is bounded where its first
/// run stands on that line, the run itself included; dates count only among runs of one commit.
/// The rows themselves are read, never an index: a damaged one hides runs. (It is faster, too: of
/// 10,000 runs each is looked at for its commit, which no index has.)
std::vector<SelectedRun> find_runs(SQLite::Database& database, const SelectionQuery& query) {
  SQLite::Statement rows(
      database,
      "WITH line(commit_id, distance) AS (SELECT value, min(key) FROM json_each(?1) GROUP BY "
      "value), "
      "level AS (SELECT line.distance AS distance, r.started_utc AS utc, r.id AS id "
      "  FROM level_marks m JOIN runs r NOT INDEXED ON r.id = m.first_run "
      "  LEFT JOIN line ON line.commit_id = r.commit_id "
      "  WHERE m.metric = '' AND r.workload_digest = ?2 AND r.environment_key = ?3 "
      "  AND r.workload_name = ?9 "
      "  AND (?4 = '' OR r.branch = ?4) "
      // A level that began at a commit which this one did not grow from is not this run's level.
      "  AND (json_array_length(?1) = 0 OR line.distance IS NOT NULL) "
      "  ORDER BY line.distance, r.started_utc DESC, r.id DESC LIMIT 1) "
      "SELECT runs.id, runs.commit_id, runs.started_utc, runs.instance, "
      "runs.traced_over_untraced, runs.work_tokens, runs.work_weights_bytes, runs.work_kv_bytes, "
      "runs.work_flops, runs.work_output_hash, runs.dirty "
      "FROM runs NOT INDEXED LEFT JOIN line ON line.commit_id = runs.commit_id "
      "WHERE runs.workload_digest = ?2 AND runs.environment_key = ?3 AND runs.workload_name = ?9 "
      "AND (?4 = '' OR runs.branch = ?4) "
      "AND (json_array_length(?1) = 0 OR line.distance IS NOT NULL) "
      "AND (?5 OR runs.source = 'measured') AND runs.measure_version = ?6 AND runs.digest <> ?7 "
      "AND (NOT EXISTS (SELECT 1 FROM level) "
      "  OR line.distance < (SELECT distance FROM level) "
      "  OR (line.distance IS (SELECT distance FROM level) "
      "    AND (runs.started_utc, runs.id) >= (SELECT utc, id FROM level))) "
      "ORDER BY line.distance, runs.started_utc DESC, runs.id DESC LIMIT ?8");
  rows.bind(1, json_list(query.ancestry));
  rows.bind(2, query.workload_digest);
  rows.bind(3, environment_key(query.fingerprint));
  rows.bind(4, query.branch);
  rows.bind(5, query.replay_store ? 1 : 0);
  rows.bind(6, query.measure_version);
  rows.bind(7, query.exclude_digest);
  rows.bind(8, query.max_runs);
  rows.bind(9, query.workload_name);
  std::vector<SelectedRun> runs;
  while (rows.executeStep()) {
    SelectedRun run{rows.getColumn(0).getInt64(),
                    rows.getColumn(1).getString(),
                    rows.getColumn(2).getString(),
                    rows.getColumn(3).getString(),
                    std::nullopt,
                    read_work(rows, 5),
                    rows.getColumn(10).getInt() != 0};
    if (!rows.getColumn(4).isNull()) run.traced_over_untraced = rows.getColumn(4).getDouble();
    runs.push_back(std::move(run));
  }
  return runs;
}

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

/// What is read here asks no index, but others do, and where one flipped bit is there are more:
/// each index must give as many of this query's runs as the rows themselves do.
Status check_indexes(SQLite::Database& database, const std::string& path,
                     const SelectionQuery& query) {
  SQLite::Statement counts(
      database,
      "SELECT total(workload_digest = ?1 AND environment_key = ?2), total(workload_name = ?3), "
      "(SELECT count(*) FROM runs INDEXED BY runs_by_series "
      "  WHERE workload_digest = ?1 AND environment_key = ?2), "
      "(SELECT count(*) FROM runs INDEXED BY runs_by_name WHERE workload_name = ?3) "
      "FROM runs NOT INDEXED");
  counts.bind(1, query.workload_digest);
  counts.bind(2, environment_key(query.fingerprint));
  counts.bind(3, query.workload_name);
  if (!counts.executeStep()) return {};
  const auto count = [&](int column) { return counts.getColumn(column).getInt64(); };
  if (count(0) == count(2) && count(1) == count(3)) return {};
  return Error{.code = ErrorCode::corrupt,
               .message = "the store " + path + " is damaged: an index hides runs",
               .hint = "restore a snapshot, or build its indexes anew: sqlite3 " + path +
                       " REINDEX, then perfgate doctor",
               .context = {}};
}

/// A damaged run has no part in a verdict, be it by its values or because a damaged name, key or
/// version hides it: besides the selected runs the newest ones of the workload's name are looked
/// at, whatever else is said of them.
Status check_whole(SQLite::Database& database, const std::string& path, const SelectionQuery& query,
                   const std::vector<SelectedRun>& selected) {
  std::set<std::int64_t> ids;
  for (const SelectedRun& run : selected) ids.insert(run.id);
  SQLite::Statement newest(database,
                           "SELECT id FROM runs NOT INDEXED WHERE workload_name = ?1 "
                           "ORDER BY started_utc DESC, id DESC LIMIT ?2");
  newest.bind(1, query.workload_name);
  newest.bind(2, query.max_runs);
  while (newest.executeStep()) ids.insert(newest.getColumn(0).getInt64());
  for (const std::int64_t id : ids) PG_TRY(read_run(database, path, id));
  return {};
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

Result<SeriesMap> read_series(SQLite::Database& database, const SelectionQuery& query,
                              const std::vector<SelectedRun>& runs) {
  std::map<std::int64_t, std::size_t> place;
  for (std::size_t i = 0; i < runs.size(); ++i) place[runs[i].id] = i;
  SQLite::Statement rows(
      database,
      "SELECT m.id, m.run, m.metric, m.kind, m.unit, m.value, s.value, m.better FROM metrics m "
      "LEFT JOIN samples s ON s.metric = m.id "
      "WHERE m.run IN (SELECT value FROM json_each(?1)) "
      "AND (json_array_length(?2) = 0 OR m.metric IN (SELECT value FROM json_each(?2))) "
      "ORDER BY m.id, s.position");
  rows.bind(1, ids_of(runs));
  rows.bind(2, json_list(query.metrics));
  SeriesMap series;
  std::int64_t current = std::numeric_limits<std::int64_t>::min();
  BaselinePoint* point = nullptr;
  while (rows.executeStep()) {
    const std::int64_t id = rows.getColumn(0).getInt64();
    if (id != current) {
      current = id;
      SeriesId of;
      of.metric = rows.getColumn(2).getString();
      PG_ASSIGN_OR_RETURN(of.kind, metric_kind_from_string(rows.getColumn(3).getString()));
      of.unit = rows.getColumn(4).getString();
      of.better = rows.getColumn(7).getString() == "lower" ? Better::lower : Better::higher;
      BaselineSeries& of_metric = series[of];
      of_metric.metric = of.metric;
      of_metric.kind = of.kind;
      of_metric.unit = of.unit;
      of_metric.better = of.better;
      const SelectedRun& run = runs[place[rows.getColumn(1).getInt64()]];
      of_metric.points.push_back({run.id, run.commit, run.utc, run.instance, {}, 0.0});
      point = &of_metric.points.back();
      point->value = rows.getColumn(5).getDouble();
    }
    if (!rows.getColumn(6).isNull()) point->samples.push_back(rows.getColumn(6).getDouble());
  }
  for (auto& [id, of_metric] : series) {
    std::ranges::sort(of_metric.points, {},
                      [&](const BaselinePoint& each) { return place[each.run]; });
  }
  return series;
}

void fill_choice(const SelectionQuery& query, const std::vector<SelectedRun>& oldest_first,
                 Selection& selection) {
  const SelectedRun& newest = oldest_first.back();
  BaselineChoice& choice = selection.choice;
  choice.exists = true;
  choice.commit = newest.commit;
  choice.how = "store: " + std::to_string(oldest_first.size()) +
               (oldest_first.size() == 1 ? " run" : " runs") +
               (query.branch.empty() ? "" : " on branch " + query.branch) +
               (query.ancestry.empty() ? ", newest " : ", nearest measured ancestor ") +
               newest.commit.substr(0, 7) + " (" + newest.utc.substr(0, 10) + ")";
  choice.comparability = compare_fingerprints(selection.newest, query.fingerprint);
  choice.comparability.environment.clear();  // selected by an equal environment
  selection.traced_over_untraced = newest.traced_over_untraced;
}

/// What the store has when none of it is of an ancestor; empty if it has nothing.
std::string describe_strangers(SQLite::Database& database, const SelectionQuery& query) {
  if (query.ancestry.empty()) return {};
  SelectionQuery any = query;
  any.ancestry.clear();
  any.max_runs = 1;
  const std::vector<SelectedRun> runs = find_runs(database, any);
  if (runs.empty()) return {};
  return "store: no run of an ancestor of this commit" +
         (query.ancestry_is_cut
              ? " (of " + std::to_string(query.ancestry.size()) + " that were looked at)"
              : std::string()) +
         (query.branch.empty() ? std::string() : " on branch " + query.branch) +
         "; the newest is of " +
         (runs.front().commit.empty() ? "an unknown commit" : runs.front().commit.substr(0, 7)) +
         " (" + runs.front().utc.substr(0, 10) + ")" +
         (query.ancestry_is_cut ? ", which is none of them" : ", which it did not grow from");
}

Result<Selection> select_in(SQLite::Database& database, const std::string& path,
                            const SelectionQuery& query) {
  Selection selection;
  PG_TRY(check_indexes(database, path, query));
  std::vector<SelectedRun> runs = find_runs(database, query);
  PG_TRY(check_whole(database, path, query, runs));
  if (runs.empty()) {
    selection.choice.how = describe_strangers(database, query);
    selection.choice.no_ancestor = !selection.choice.how.empty();
    if (selection.choice.no_ancestor) return selection;
    selection.choice.how = "store: no run of this workload" +
                           (query.branch.empty() ? std::string() : " on branch " + query.branch);
    if (const auto other = find_other(database, query)) {
      PG_TRY(describe_other(database, path, query, *other, selection.choice));
    }
    return selection;
  }
  for (const SelectedRun& run : runs) {
    // What a dirty run ran is of no commit: it cannot show that one commit gives several outputs.
    if (!says_nothing(run.work))
      selection.work.push_back({run.id, run.dirty ? std::string() : run.commit, run.work});
  }
  std::ranges::reverse(runs);
  selection.newest = read_fingerprint(database, runs.back().id);
  fill_choice(query, runs, selection);
  PG_ASSIGN_OR_RETURN(auto series, read_series(database, query, runs));
  selection.choice.how += cut_at_metric_marks(database, runs, series);
  for (auto& [id, of_metric] : series) selection.series.push_back(std::move(of_metric));
  PG_TRY(add_known_levels(database, path, query, selection.series));
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
