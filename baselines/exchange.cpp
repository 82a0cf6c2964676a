#include "baselines/exchange.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "baselines/database.h"
#include "baselines/drill_rows.h"
#include "baselines/noise_runs.h"
#include "baselines/record.h"
#include "baselines/rows.h"
#include "runner/model/json_limits.h"

namespace perfgate::baselines {
namespace {

using Json = nlohmann::json;
constexpr int kFormat = 1;

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Error at_line(int line, ErrorCode code, const std::string& what) {
  return {.code = code,
          .message = "line " + std::to_string(line) + ": " + what,
          .hint = "import a whole file that `perfgate baseline export` wrote; nothing was changed",
          .context = {}};
}

Json key_json(const SeriesKey& key) {
  return {{"workload_digest", key.workload_digest},
          {"environment_key", key.environment_key},
          {"metric", key.metric}};
}

SeriesKey key_from(const Json& json) {
  SeriesKey key;
  key.workload_digest = json.at("workload_digest").get<std::string>();
  key.environment_key = json.at("environment_key").get<std::string>();
  key.metric = json.at("metric").get<std::string>();
  return key;
}

SeriesKey key_of(SQLite::Statement& rows) {
  SeriesKey key;
  key.workload_digest = rows.getColumn(0).getString();
  key.environment_key = rows.getColumn(1).getString();
  key.metric = rows.getColumn(2).getString();
  return key;
}

/// Counts what it hands on, for the end line.
struct Writer {
  const std::function<Status(std::string_view)>& write;
  const ExportedLines& known;
  int lines = 0;
  Status operator()(const std::string& line) {
    if (known.contains(line)) return {};
    ++lines;
    return write(line);
  }
};

Status export_runs(SQLite::Database& database, const std::string& path, Writer& writer) {
  SQLite::Statement rows(database, "SELECT id, digest FROM runs ORDER BY id");
  while (rows.executeStep()) {
    PG_ASSIGN_OR_RETURN(const StoredRun run,
                        read_run(database, path, rows.getColumn(0).getInt64()));
    const std::string work = work_digest(run);
    PG_TRY(writer("{\"digest\":\"" + rows.getColumn(1).getString() + "\"" +
                  (work.empty() ? "" : ",\"work_digest\":\"" + work + "\"") +
                  ",\"run\":" + to_json_line(run) + "}"));
  }
  return {};
}

Status export_levels(SQLite::Database& database, Writer& writer) {
  SQLite::Statement pins(database,
                         "SELECT workload_digest, environment_key, metric, level, reason, set_utc, "
                         "run_digest FROM pins ORDER BY id");
  while (pins.executeStep()) {
    Json pin = key_json(key_of(pins));
    pin["level"] = pins.getColumn(3).getDouble();
    pin["reason"] = pins.getColumn(4).getString();
    pin["utc"] = pins.getColumn(5).getString();
    pin["run"] = pins.getColumn(6).getString();
    PG_TRY(writer(line_of({{"pin", pin}})));
  }
  SQLite::Statement marks(
      database,
      "SELECT r.digest, m.metric, m.kind, m.reason, m.set_utc FROM level_marks m "
      "JOIN runs r ON r.id = m.first_run ORDER BY m.id");
  while (marks.executeStep()) {
    const auto text = [&](int column) { return marks.getColumn(column).getString(); };
    const Json mark{{"first_run", text(0)},
                    {"metric", text(1)},
                    {"kind", text(2)},
                    {"reason", text(3)},
                    {"utc", text(4)}};
    PG_TRY(writer(line_of({{"mark", mark}})));
  }
  SQLite::Statement calibrations(
      database,
      "SELECT workload_digest, environment_key, metric, sd_ratio, occasions, set_utc "
      "FROM calibrations ORDER BY id");
  while (calibrations.executeStep()) {
    Json calibration = key_json(key_of(calibrations));
    calibration["sd_ratio"] = calibrations.getColumn(3).getDouble();
    calibration["occasions"] = calibrations.getColumn(4).getInt();
    calibration["utc"] = calibrations.getColumn(5).getString();
    PG_TRY(writer(line_of({{"calibration", calibration}})));
  }
  return {};
}

Status export_noise(SQLite::Database& database, Writer& writer) {
  SQLite::Statement rows(database,
                         std::string("SELECT ") + kNoiseColumns + " FROM noise_runs ORDER BY id");
  while (rows.executeStep()) {
    PG_ASSIGN_OR_RETURN(const NoisePoint point, noise_point_of(rows));
    Json noise = key_json(point.key);
    noise["measure_version"] = point.measure_version;
    noise["instance"] = point.instance;
    noise["utc"] = point.occasion_utc;
    noise["run"] = point.run;
    noise["commit"] = point.commit;
    noise["kind"] = to_string(point.kind);
    noise["unit"] = point.unit;
    noise["value"] = point.value;
    noise["samples"] = point.samples;
    PG_TRY(writer(line_of({{"noise", noise}})));
  }
  return {};
}

Status export_drills(SQLite::Database& database, Writer& writer) {
  SQLite::Statement rows(database,
                         std::string("SELECT ") + kDrillColumns + " FROM drills ORDER BY id");
  while (rows.executeStep()) {
    PG_ASSIGN_OR_RETURN(const DrillTrial trial, drill_of_row(rows));
    PG_TRY(writer(line_of({{"drill", drill_json(trial)}})));
  }
  return {};
}

/// The digest of a run does not cover all its names, and nobody writes such ones by hand: perfgate
/// keeps them as the environment had them, and breaks them wherever they are shown.
bool names_are_plain(const StoredRun& run) {
  const RunIdentity& identity = run.identity;
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  const std::array names{&identity.tool_version,  &identity.repo,     &identity.branch,
                         &identity.series_branch, &identity.commit,   &identity.run_id,
                         &identity.started_utc,   &run.workload_name, &run.workload_digest};
  return std::ranges::none_of(
      names, [&](const std::string* name) { return std::ranges::any_of(*name, is_control); });
}

Status import_run(SQLite::Database& database, const Json& json, int line, ImportCount& count) {
  auto run = stored_run_from_json(line_of(json.at("run")));
  if (!run.ok()) return at_line(line, run.error().code, run.error().message);
  if (!names_are_plain(run.value()))
    return at_line(line, ErrorCode::corrupt, "a name in it has a control character");
  if (run_digest(run.value()) != json.at("digest").get<std::string>()) {
    return at_line(line, ErrorCode::corrupt, "the digest does not fit the run");
  }
  if (work_digest(run.value()) != json.value("work_digest", std::string())) {
    return at_line(line, ErrorCode::corrupt, "the digest of its work does not fit the run");
  }
  const RecordOutcome outcome = insert_run(database, run.value());
  ++(outcome.was_there ? count.runs_known : count.runs_added);
  return {};
}

Status import_pin(SQLite::Database& database, const Json& json, int line) {
  const Pin pin{key_from(json), json.at("level").get<double>(),
                json.at("reason").get<std::string>(), json.at("utc").get<std::string>(),
                json.value("run", std::string())};  // not in older exports
  if (const Status fine = check(pin); !fine.ok())
    return at_line(line, ErrorCode::corrupt, fine.error().message);
  insert_pin(database, pin);
  return {};
}

Status import_mark(SQLite::Database& database, const Json& json, int line) {
  PG_ASSIGN_OR_RETURN(const LevelMark::Kind kind,
                      level_mark_kind_from_string(json.at("kind").get<std::string>()));
  const LevelMark mark{json.at("first_run").get<std::string>(),
                       json.at("metric").get<std::string>(), kind,
                       json.at("reason").get<std::string>(), json.at("utc").get<std::string>()};
  const auto run = find_run(database, mark.first_run);
  if (!run) return at_line(line, ErrorCode::corrupt, "a level mark names a run that is not there");
  insert_mark(database, *run, mark);
  return {};
}

Status import_calibration(SQLite::Database& database, const Json& json, int line) {
  const Calibration calibration{key_from(json), json.at("sd_ratio").get<double>(),
                                json.at("occasions").get<int>(), json.at("utc").get<std::string>()};
  if (const Status fine = check(calibration); !fine.ok())
    return at_line(line, ErrorCode::corrupt, fine.error().message);
  insert_calibration(database, calibration);
  return {};
}

Status import_noise(SQLite::Database& database, const Json& json, int line) {
  NoisePoint point{.key = key_from(json)};
  point.measure_version = json.at("measure_version").get<int>();
  point.instance = json.at("instance").get<std::string>();
  point.occasion_utc = json.at("utc").get<std::string>();
  point.run = json.at("run").get<int>();
  point.commit = json.at("commit").get<std::string>();
  const auto kind = metric_kind_from_string(json.at("kind").get<std::string>());
  if (!kind.ok()) return at_line(line, ErrorCode::corrupt, kind.error().message);
  point.kind = kind.value();
  point.unit = json.at("unit").get<std::string>();
  point.value = json.at("value").get<double>();
  point.samples = json.at("samples").get<std::vector<double>>();
  if (const Status fine = check(point); !fine.ok())
    return at_line(line, ErrorCode::corrupt, fine.error().message);
  insert_noise(database, point);
  return {};
}

Status import_drill(SQLite::Database& database, const Json& json, int line) {
  const auto trial = drill_from_json(json);
  if (!trial.ok()) return at_line(line, ErrorCode::corrupt, trial.error().message);
  insert_drill(database, trial.value());
  return {};
}

Status import_line(SQLite::Database& database, const Json& json, int line, ImportCount& count) {
  if (json.contains("run")) return import_run(database, json, line, count);
  if (json.contains("pin")) return import_pin(database, json.at("pin"), line);
  if (json.contains("mark")) return import_mark(database, json.at("mark"), line);
  if (json.contains("calibration")) {
    return import_calibration(database, json.at("calibration"), line);
  }
  if (json.contains("noise")) return import_noise(database, json.at("noise"), line);
  if (json.contains("drill")) return import_drill(database, json.at("drill"), line);
  return at_line(line, ErrorCode::corrupt,
                 "neither a run, a pin, a mark, a calibration, an A/A run nor a drill");
}

/// What people hand over instead: a snapshot is opened, not imported.
Status check_is_text(std::string_view text) {
  constexpr std::string_view kDatabase{"SQLite format 3\0", 16};
  if (!text.starts_with(kDatabase)) return {};
  return Error{.code = ErrorCode::usage,
               .message = "this is a store or a snapshot of one (SQLite), not an export",
               .hint =
                   "use it as it is with --store FILE, or export it first: perfgate baseline "
                   "export runs.jsonl --store FILE",
               .context = {}};
}

Status check_header(const Json& json) {
  if (!json.is_object() || !json.contains("perfgate_store_export")) {
    return at_line(1, ErrorCode::corrupt, "this is not an export of a perfgate store");
  }
  const int format = json.at("perfgate_store_export").get<int>();
  if (format == kFormat) return {};
  return at_line(1, ErrorCode::unsupported,
                 "format " + std::to_string(format) + " is not known to this perfgate");
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

Status import_all(SQLite::Database& database, const std::vector<std::string_view>& lines, int& line,
                  ImportCount& count) {
  bool ended = false;
  for (const std::string_view text : lines) {
    ++line;
    if (const auto beyond = json_beyond_limits(text)) {
      return at_line(line, ErrorCode::corrupt, "it is " + *beyond);
    }
    const Json json = Json::parse(text);
    if (line == 1) {
      PG_TRY(check_header(json));
    } else if (ended) {
      return at_line(line, ErrorCode::corrupt, "there is more after the end line");
    } else if (json.is_object() && json.contains("end")) {
      ended = true;
      if (json.at("end") != true) {
        return at_line(line, ErrorCode::corrupt, "the end line says that this is not the end");
      }
      if (json.at("lines").get<int>() != line - 2) {
        return at_line(line, ErrorCode::corrupt,
                       "the end line counts other lines than the file has");
      }
    } else {
      PG_TRY(import_line(database, json, line, count));
    }
  }
  if (!ended) return at_line(line, ErrorCode::corrupt, "the file is cut: its end line is missing");
  return {};
}

}  // namespace

void add_lines(std::string_view text, ExportedLines& lines) {
  for (const std::string_view line : lines_of(text)) lines.emplace(line);
}

Status export_lines(const Store& store, const std::function<Status(std::string_view)>& write,
                    const ExportedLines& known) {
  return guarded(store.path(), [&]() -> Status {
    const SQLite::Transaction transaction(store.database());
    Writer writer{.write = write, .known = known};
    PG_TRY(write("{\"perfgate_store_export\":" + std::to_string(kFormat) + "}"));
    PG_TRY(export_runs(store.database(), store.path(), writer));
    PG_TRY(export_levels(store.database(), writer));
    PG_TRY(export_noise(store.database(), writer));
    PG_TRY(export_drills(store.database(), writer));
    return write("{\"end\":true,\"lines\":" + std::to_string(writer.lines) + "}");
  });
}

Result<ImportCount> import_lines(Store& store, std::string_view text) {
  PG_TRY(check_is_text(text));
  return guarded(store.path(), [&]() -> Result<ImportCount> {
    ImportCount count;
    int line = 0;
    try {
      SQLite::Transaction transaction(store.database(), SQLite::TransactionBehavior::IMMEDIATE);
      PG_TRY(import_all(store.database(), lines_of(text), line, count));
      transaction.commit();
      return count;
    } catch (const Json::exception& error) {
      return at_line(line, ErrorCode::corrupt, error.what());
    }
  });
}

}  // namespace perfgate::baselines
