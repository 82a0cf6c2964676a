#include "baselines/noise_runs.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

#include "baselines/database.h"
#include "baselines/rows.h"

namespace perfgate::baselines {
namespace {

Error bad_point(std::string what) {
  return {.code = ErrorCode::usage,
          .message = std::move(what),
          .hint = "measure it again",
          .context = {}};
}

std::string json_of(const std::vector<double>& samples) { return nlohmann::json(samples).dump(); }

Result<std::vector<double>> samples_from(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  std::vector<double> samples;
  const auto is_number = [](const nlohmann::json& value) { return value.is_number(); };
  if (!json.is_array() || !std::ranges::all_of(json, is_number)) {
    return Error{.code = ErrorCode::corrupt,
                 .message = "the samples of an A/A run are not a list of numbers",
                 .hint = "the store was edited by hand; restore a copy of it",
                 .context = {}};
  }
  for (const nlohmann::json& value : json) samples.push_back(value.get<double>());
  return samples;
}

}  // namespace

Result<NoisePoint> noise_point_of(SQLite::Statement& row) {
  NoisePoint point;
  const auto text = [&](int column) { return row.getColumn(column).getString(); };
  point.key = {text(0), text(1), text(2)};
  point.measure_version = row.getColumn(3).getInt();
  point.instance = text(4);
  point.occasion_utc = text(5);
  point.run = row.getColumn(6).getInt();
  point.commit = text(7);
  PG_ASSIGN_OR_RETURN(point.kind, metric_kind_from_string(text(8)));
  point.unit = text(9);
  point.value = row.getColumn(10).getDouble();
  PG_ASSIGN_OR_RETURN(point.samples, samples_from(text(11)));
  return point;
}

void insert_noise(SQLite::Database& database, const NoisePoint& point) {
  SQLite::Statement insert(database, std::string("INSERT OR IGNORE INTO noise_runs (") +
                                         kNoiseColumns +
                                         ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(1, point.key.workload_digest);
  insert.bind(2, point.key.environment_key);
  insert.bind(3, point.key.metric);
  insert.bind(4, point.measure_version);
  insert.bind(5, point.instance);
  insert.bind(6, point.occasion_utc);
  insert.bind(7, point.run);
  insert.bind(8, point.commit);
  insert.bind(9, std::string(to_string(point.kind)));
  insert.bind(10, point.unit);
  insert.bind(11, point.value);
  insert.bind(12, json_of(point.samples));
  insert.exec();
}

Status check(const NoisePoint& point) {
  const auto bad = [](double value) { return !std::isfinite(value) || value < 0.0; };
  if (bad(point.value) || std::ranges::any_of(point.samples, bad)) {
    return bad_point("a value of an A/A run must be a number of zero or above");
  }
  if (point.key.workload_digest.empty() || point.key.environment_key.empty() ||
      point.key.metric.empty() || point.occasion_utc.empty()) {
    return bad_point("an A/A run needs a workload, an environment, a metric and a time");
  }
  if (point.run < 0) return bad_point("the runs of an occasion count from 0");
  return {};
}

Status record_noise(Store& store, std::span<const NoisePoint> points) {
  for (const NoisePoint& point : points) PG_TRY(check(point));
  return guarded(store.path(), [&]() -> Status {
    SQLite::Transaction transaction(store.database(), SQLite::TransactionBehavior::IMMEDIATE);
    for (const NoisePoint& point : points) insert_noise(store.database(), point);
    transaction.commit();
    return {};
  });
}

Result<std::vector<NoisePoint>> noise_points(const Store& store, const std::string& workload_digest,
                                             int measure_version) {
  return guarded(store.path(), [&]() -> Result<std::vector<NoisePoint>> {
    SQLite::Statement rows(store.database(), std::string("SELECT ") + kNoiseColumns +
                                                 " FROM noise_runs WHERE workload_digest = ? "
                                                 "AND measure_version = ? ORDER BY "
                                                 "environment_key, occasion_utc, run, id");
    rows.bind(1, workload_digest);
    rows.bind(2, measure_version);
    std::vector<NoisePoint> points;
    while (rows.executeStep()) {
      PG_ASSIGN_OR_RETURN(NoisePoint point, noise_point_of(rows));
      points.push_back(std::move(point));
    }
    return points;
  });
}

Result<std::vector<Calibration>> calibrations_of(const Store& store,
                                                 const std::string& workload_digest,
                                                 const std::string& environment_key) {
  return guarded(store.path(), [&]() -> Result<std::vector<Calibration>> {
    SQLite::Statement rows(store.database(),
                           "SELECT metric, sd_ratio, occasions, set_utc FROM calibrations WHERE "
                           "workload_digest = ? AND environment_key = ? ORDER BY set_utc, id");
    rows.bind(1, workload_digest);
    rows.bind(2, environment_key);
    std::map<std::string, Calibration> newest;
    while (rows.executeStep()) {
      const std::string metric = rows.getColumn(0).getString();
      newest[metric] = {{workload_digest, environment_key, metric},
                        rows.getColumn(1).getDouble(),
                        rows.getColumn(2).getInt(),
                        rows.getColumn(3).getString()};
    }
    std::vector<Calibration> all;
    all.reserve(newest.size());
    for (auto& [metric, calibration] : newest) all.push_back(std::move(calibration));
    return all;
  });
}

}  // namespace perfgate::baselines
