#include "baselines/drills.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "baselines/database.h"
#include "baselines/drill_rows.h"

namespace perfgate::baselines {
namespace {

constexpr std::array<std::pair<Planted, std::string_view>, 3> kPlanted{
    {{Planted::nothing, "nothing"}, {Planted::spin, "spin"}, {Planted::host_delay, "host_delay"}}};

Error bad_trial(std::string what) {
  return {.code = ErrorCode::usage,
          .message = std::move(what),
          .hint = "run the drill again",
          .context = {}};
}

void bind(SQLite::Statement& statement, int index, const std::optional<double>& value) {
  if (value) {
    statement.bind(index, *value);
  } else {
    statement.bind(index);
  }
}

std::optional<double> optional_double(const SQLite::Column& column) {
  if (column.isNull()) return std::nullopt;
  return column.getDouble();
}

nlohmann::json optional_json(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

std::optional<double> optional_from(const nlohmann::json& value) {
  if (value.is_null()) return std::nullopt;
  return value.get<double>();
}

}  // namespace

std::string_view to_string(Planted planted) {
  return std::ranges::find(kPlanted, planted, &decltype(kPlanted)::value_type::first)->second;
}

Result<Planted> planted_from_string(std::string_view word) {
  const auto found = std::ranges::find(kPlanted, word, &decltype(kPlanted)::value_type::second);
  if (found != kPlanted.end()) return found->first;
  return Error{.code = ErrorCode::corrupt,
               .message = "a drill cannot plant '" + std::string(word) + "'",
               .hint = "use the perfgate that wrote it",
               .context = {}};
}

Result<DrillTrial> drill_of_row(SQLite::Statement& row) {
  DrillTrial trial;
  const auto text = [&](int column) { return row.getColumn(column).getString(); };
  trial.workload_name = text(0);
  trial.workload_digest = text(1);
  trial.environment_key = text(2);
  trial.measure_version = row.getColumn(3).getInt();
  trial.instance = text(4);
  trial.drill_utc = text(5);
  trial.run = row.getColumn(6).getInt();
  trial.place = row.getColumn(7).getInt();
  trial.seed = row.getColumn(8).getInt64();
  trial.commit = text(9);
  PG_ASSIGN_OR_RETURN(trial.planted, planted_from_string(text(10)));
  trial.size_ratio = row.getColumn(11).getDouble();
  trial.size_us = row.getColumn(12).getDouble();
  trial.step_ms = row.getColumn(13).getDouble();
  PG_ASSIGN_OR_RETURN(trial.outcome, outcome_from_string(text(14)));
  trial.change_ratio = optional_double(row.getColumn(15));
  trial.finds_from_ratio = optional_double(row.getColumn(16));
  trial.processes = row.getColumn(17).getInt();
  trial.seconds = row.getColumn(18).getDouble();
  return trial;
}

void insert_drill(SQLite::Database& database, const DrillTrial& trial) {
  SQLite::Statement insert(
      database, std::string("INSERT OR IGNORE INTO drills (") + kDrillColumns +
                    ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(1, trial.workload_name);
  insert.bind(2, trial.workload_digest);
  insert.bind(3, trial.environment_key);
  insert.bind(4, trial.measure_version);
  insert.bind(5, trial.instance);
  insert.bind(6, trial.drill_utc);
  insert.bind(7, trial.run);
  insert.bind(8, trial.place);
  insert.bind(9, trial.seed);
  insert.bind(10, trial.commit);
  insert.bind(11, std::string(to_string(trial.planted)));
  insert.bind(12, trial.size_ratio);
  insert.bind(13, trial.size_us);
  insert.bind(14, trial.step_ms);
  insert.bind(15, std::string(to_string(trial.outcome)));
  bind(insert, 16, trial.change_ratio);
  bind(insert, 17, trial.finds_from_ratio);
  insert.bind(18, trial.processes);
  insert.bind(19, trial.seconds);
  insert.exec();
}

nlohmann::json drill_json(const DrillTrial& trial) {
  return {{"workload_name", trial.workload_name},
          {"workload_digest", trial.workload_digest},
          {"environment_key", trial.environment_key},
          {"measure_version", trial.measure_version},
          {"instance", trial.instance},
          {"utc", trial.drill_utc},
          {"run", trial.run},
          {"place", trial.place},
          {"seed", trial.seed},
          {"commit", trial.commit},
          {"planted", to_string(trial.planted)},
          {"size_ratio", trial.size_ratio},
          {"size_us", trial.size_us},
          {"step_ms", trial.step_ms},
          {"outcome", to_string(trial.outcome)},
          {"change_ratio", optional_json(trial.change_ratio)},
          {"finds_from_ratio", optional_json(trial.finds_from_ratio)},
          {"processes", trial.processes},
          {"seconds", trial.seconds}};
}

Result<DrillTrial> drill_from_json(const nlohmann::json& json) {
  DrillTrial trial;
  const auto text = [&](const char* key) { return json.at(key).get<std::string>(); };
  const auto number = [&](const char* key) { return json.at(key).get<double>(); };
  trial.workload_name = text("workload_name");
  trial.workload_digest = text("workload_digest");
  trial.environment_key = text("environment_key");
  trial.measure_version = json.at("measure_version").get<int>();
  trial.instance = text("instance");
  trial.drill_utc = text("utc");
  trial.run = json.at("run").get<int>();
  trial.place = json.at("place").get<int>();
  trial.seed = json.at("seed").get<std::int64_t>();
  trial.commit = text("commit");
  PG_ASSIGN_OR_RETURN(trial.planted, planted_from_string(text("planted")));
  trial.size_ratio = number("size_ratio");
  trial.size_us = number("size_us");
  trial.step_ms = number("step_ms");
  PG_ASSIGN_OR_RETURN(trial.outcome, outcome_from_string(text("outcome")));
  trial.change_ratio = optional_from(json.at("change_ratio"));
  trial.finds_from_ratio = optional_from(json.at("finds_from_ratio"));
  trial.processes = json.at("processes").get<int>();
  trial.seconds = number("seconds");
  PG_TRY(check(trial));
  return trial;
}

Status check(const DrillTrial& trial) {
  const auto bad = [](double value) { return !std::isfinite(value) || value < 0.0; };
  if (bad(trial.size_ratio) || bad(trial.size_us) || bad(trial.step_ms) || bad(trial.seconds) ||
      bad(trial.finds_from_ratio.value_or(0.0)) ||
      !std::isfinite(trial.change_ratio.value_or(0.0))) {
    return bad_trial("a figure of a drill must be a number of zero or above");
  }
  if (trial.workload_name.empty() || trial.workload_digest.empty() ||
      trial.environment_key.empty() || trial.drill_utc.empty()) {
    return bad_trial("a drill needs a workload, an environment and a time");
  }
  if (trial.run < 0 || trial.place < 0 || trial.place > 1 || trial.processes < 0) {
    return bad_trial("the runs of a drill count from 0, and each has the places 0 and 1");
  }
  const bool sized = trial.size_ratio > 0.0 && trial.size_us > 0.0;
  const bool unsized = trial.size_ratio == 0.0 && trial.size_us == 0.0;
  if (trial.planted == Planted::nothing ? unsized : sized) return {};
  return bad_trial("what a drill planted and its size do not fit");
}

Status record_drill(Store& store, const DrillTrial& trial) {
  PG_TRY(check(trial));
  return guarded(store.path(), [&]() -> Status {
    SQLite::Transaction transaction(store.database(), SQLite::TransactionBehavior::IMMEDIATE);
    insert_drill(store.database(), trial);
    transaction.commit();
    return {};
  });
}

Result<std::vector<DrillTrial>> drill_trials(const Store& store, const std::string& workload_digest,
                                             int measure_version) {
  return guarded(store.path(), [&]() -> Result<std::vector<DrillTrial>> {
    SQLite::Statement rows(store.database(), std::string("SELECT ") + kDrillColumns +
                                                 " FROM drills WHERE workload_digest = ? AND "
                                                 "measure_version = ? ORDER BY environment_key, "
                                                 "drill_utc, instance, run, place");
    rows.bind(1, workload_digest);
    rows.bind(2, measure_version);
    std::vector<DrillTrial> trials;
    while (rows.executeStep()) {
      PG_ASSIGN_OR_RETURN(DrillTrial trial, drill_of_row(rows));
      trials.push_back(std::move(trial));
    }
    return trials;
  });
}

}  // namespace perfgate::baselines
