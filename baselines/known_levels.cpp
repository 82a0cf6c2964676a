#include "baselines/known_levels.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "baselines/rows.h"

namespace perfgate::baselines {
namespace {

/// A pin is the level of the run that it was set at.
Status check_pins(SQLite::Database& database, const std::string& path,
                  const SelectionQuery& query) {
  SQLite::Statement rows(database,
                         "SELECT r.id, p.metric FROM pins p JOIN runs r ON r.digest = p.run_digest "
                         "JOIN metrics m ON m.run = r.id AND m.metric = p.metric "
                         "WHERE p.workload_digest = ?1 AND p.environment_key = ?2 "
                         "AND r.workload_name = ?3 AND p.level <> m.value LIMIT 1");
  rows.bind(1, query.workload_digest);
  rows.bind(2, environment_key(query.fingerprint));
  rows.bind(3, query.workload_name);
  if (!rows.executeStep()) return {};
  const std::string run = std::to_string(rows.getColumn(0).getInt64());
  const std::string metric = rows.getColumn(1).getString();
  return Error{.code = ErrorCode::corrupt,
               .message = "the pinned level of " + metric + " in " + path +
                          " is damaged: it is not that of run " + run + ", where it was pinned",
               .hint = "perfgate baseline unpin " + run + " --metric " + metric + " --store " +
                       path + ", and pin the run again",
               .context = {}};
}

/// The later one of a series counts.
void keep_pin(SelectedPin pin, std::vector<SelectedPin>& pins) {
  std::erase_if(pins, [&](const SelectedPin& other) {
    return other.metric == pin.metric && other.unit == pin.unit;
  });
  pins.push_back(std::move(pin));
}

void add_pins(SQLite::Database& database, const SelectionQuery& query, Selection& selection) {
  SQLite::Statement rows(
      database,
      "SELECT p.metric, p.level, m.unit, coalesce(r.instance, ''), coalesce(r.id, 0), "
      "coalesce(r.commit_id, ''), coalesce(r.started_utc, ''), p.set_utc, p.reason FROM pins p "
      "LEFT JOIN runs r ON r.digest = p.run_digest "
      "LEFT JOIN metrics m ON m.run = r.id AND m.metric = p.metric "
      "WHERE p.workload_digest = ?1 AND p.environment_key = ?2 "
      "AND (r.id IS NULL OR (r.workload_name = ?3 AND (json_array_length(?4) = 0 "
      "  OR r.commit_id IN (SELECT value FROM json_each(?4))))) ORDER BY p.set_utc, p.id");
  rows.bind(1, query.workload_digest);
  rows.bind(2, environment_key(query.fingerprint));
  rows.bind(3, query.workload_name);
  // Beyond the end of a cut line a commit may well be an ancestor: its pin stays.
  const auto line = query.ancestry_is_cut ? std::vector<std::string>{} : query.ancestry;
  rows.bind(4, nlohmann::json(line).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  while (rows.executeStep()) {
    const std::string metric = rows.getColumn(0).getString();
    for (BaselineSeries& each : selection.series) {
      if (each.metric != metric) continue;
      // NULL: the run is gone, and nobody knows its unit.
      if (!rows.getColumn(2).isNull() && rows.getColumn(2).getString() != each.unit) continue;
      each.pinned = rows.getColumn(1).getDouble();
      each.pinned_instance = rows.getColumn(3).getString();
      keep_pin({.metric = metric,
                .unit = each.unit,
                .run = rows.getColumn(4).getInt64(),
                .commit = rows.getColumn(5).getString(),
                .recorded_utc = rows.getColumn(6).getString(),
                .set_utc = rows.getColumn(7).getString(),
                .reason = rows.getColumn(8).getString()},
               selection.pins);
    }
  }
}

/// Returns whether any of them is calibrated.
bool add_calibrations(SQLite::Database& database, const SelectionQuery& query,
                      std::span<BaselineSeries> series) {
  SQLite::Statement rows(database,
                         "SELECT metric, sd_ratio FROM calibrations WHERE workload_digest = ?1 "
                         "AND environment_key = ?2 ORDER BY set_utc, id");
  rows.bind(1, query.workload_digest);
  rows.bind(2, environment_key(query.fingerprint));
  bool any = false;
  while (rows.executeStep()) {
    const std::string metric = rows.getColumn(0).getString();
    for (BaselineSeries& each : series) {
      if (each.metric != metric) continue;
      each.calibrated_sd_ratio = rows.getColumn(1).getDouble();
      any = true;
    }
  }
  return any;
}

/// The A/A runs, an occasion of one GPU after the other.
void add_occasions(SQLite::Database& database, const SelectionQuery& query,
                   std::span<BaselineSeries> series) {
  SQLite::Statement rows(database,
                         "SELECT metric, kind, unit, instance, occasion_utc, value "
                         "FROM noise_runs NOT INDEXED WHERE workload_digest = ?1 "
                         "AND environment_key = ?2 AND measure_version = ?3 "
                         "ORDER BY metric, kind, unit, instance, occasion_utc, run, id");
  rows.bind(1, query.workload_digest);
  rows.bind(2, environment_key(query.fingerprint));
  rows.bind(3, query.measure_version);
  std::vector<std::string> last;
  while (rows.executeStep()) {
    std::vector<std::string> occasion;
    for (int column = 0; column < 5; ++column) {
      occasion.push_back(rows.getColumn(column).getString());
    }
    const bool begins = occasion != last;
    last = std::move(occasion);
    for (BaselineSeries& each : series) {
      if (!each.calibrated_sd_ratio || each.metric != last[0] || to_string(each.kind) != last[1] ||
          each.unit != last[2]) {
        continue;
      }
      if (begins) each.aa_occasions.push_back({.instance = last[3], .values = {}});
      each.aa_occasions.back().values.push_back(rows.getColumn(5).getDouble());
    }
  }
}

}  // namespace

Status add_known_levels(SQLite::Database& database, const std::string& path,
                        const SelectionQuery& query, Selection& selection) {
  PG_TRY(check_pins(database, path, query));
  add_pins(database, query, selection);
  const std::span<BaselineSeries> series = selection.series;
  if (add_calibrations(database, query, series)) add_occasions(database, query, series);
  return {};
}

}  // namespace perfgate::baselines
