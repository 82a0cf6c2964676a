#include "baselines/rows.h"

#include <bit>
#include <cstddef>
#include <map>
#include <vector>

namespace perfgate::baselines {
namespace {

using Fields = std::map<std::string, std::string>;

/// Little-endian float64, whatever the machine.
std::string to_blob(const std::vector<double>& values) {
  std::string blob;
  blob.reserve(values.size() * sizeof(double));
  for (const double value : values) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (unsigned shift = 0; shift < 64; shift += 8) {
      blob += static_cast<char>((bits >> shift) & 0xFFU);
    }
  }
  return blob;
}

std::vector<double> from_blob(const std::string& blob) {
  std::vector<double> values;
  for (std::size_t at = 0; at + sizeof(double) <= blob.size(); at += sizeof(double)) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < sizeof(double); ++i) {
      bits |= std::uint64_t{static_cast<unsigned char>(blob[at + i])} << (8 * i);
    }
    values.push_back(std::bit_cast<double>(bits));
  }
  return values;
}

std::int64_t insert_head(SQLite::Database& database, const StoredRun& run,
                         const std::string& digest) {
  SQLite::Statement insert(database,
                           "INSERT INTO runs (digest, repo, branch, commit_id, run_id, attempt, "
                           "started_utc, tool_version, "
                           "measure_version, source, workload_name, workload_digest, "
                           "environment_key, instance, outcome, "
                           "capture_validity, traced_over_untraced, git_branch, dirty) VALUES "
                           "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const RunIdentity& identity = run.identity;
  insert.bind(1, digest);
  insert.bind(2, identity.repo);
  insert.bind(3, series_of(identity));
  insert.bind(4, identity.commit);
  insert.bind(5, identity.run_id);
  insert.bind(6, identity.attempt);
  insert.bind(7, identity.started_utc);
  insert.bind(8, identity.tool_version);
  insert.bind(9, identity.measure_version);
  insert.bind(10, std::string(to_string(run.source)));
  insert.bind(11, run.workload_name);
  insert.bind(12, run.workload_digest);
  insert.bind(13, environment_key(run.fingerprint));
  insert.bind(14, instance_of(run.fingerprint));
  insert.bind(15, run.outcome);
  insert.bind(16, run.capture_validity);
  if (run.traced_over_untraced) insert.bind(17, *run.traced_over_untraced);
  insert.bind(18, identity.branch == series_of(identity) ? std::string() : identity.branch);
  insert.bind(19, identity.dirty ? 1 : 0);
  insert.exec();
  return database.getLastInsertRowid();
}

/// Of a run that has none yet: a new one, or one that was recorded before its work was kept and
/// comes in once more.
void set_work(SQLite::Database& database, std::int64_t id, const StoredRun& run) {
  const std::string digest = work_digest(run);
  if (digest.empty()) return;
  SQLite::Statement update(database,
                           "UPDATE runs SET work_tokens = ?, work_weights_bytes = ?, "
                           "work_kv_bytes = ?, work_flops = ?, work_output_hash = ?, "
                           "work_digest = ? WHERE id = ? AND work_digest IS NULL");
  const WorkDone& work = run.work;
  int column = 1;
  for (const auto& figure : {work.tokens, work.weights_bytes, work.kv_bytes, work.flops}) {
    if (figure) update.bind(column, *figure);
    ++column;
  }
  if (!work.output_hash.empty()) update.bind(5, work.output_hash);
  update.bind(6, digest);
  update.bind(7, id);
  update.exec();
}

void insert_fields(SQLite::Database& database, std::int64_t run, const char* role,
                   const Fields& fields) {
  SQLite::Statement insert(
      database, "INSERT INTO fingerprint_fields (run, role, field, value) VALUES (?, ?, ?, ?)");
  for (const auto& [field, value] : fields) {
    insert.bind(1, run);
    insert.bind(2, role);
    insert.bind(3, field);
    insert.bind(4, value);
    insert.exec();
    insert.reset();
  }
}

void insert_metrics(SQLite::Database& database, std::int64_t run,
                    const std::vector<MetricValue>& metrics) {
  SQLite::Statement insert(
      database,
      "INSERT INTO metrics (run, metric, kind, unit, better, value) VALUES (?, ?, ?, ?, ?, ?)");
  SQLite::Statement sample(database,
                           "INSERT INTO samples (metric, position, value) VALUES (?, ?, ?)");
  for (const MetricValue& metric : metrics) {
    insert.bind(1, run);
    insert.bind(2, metric.id);
    insert.bind(3, std::string(to_string(metric.kind)));
    insert.bind(4, metric.unit);
    insert.bind(5, metric.better == Better::lower ? "lower" : "higher");
    insert.bind(6, metric.value);
    insert.exec();
    insert.reset();
    const std::int64_t id = database.getLastInsertRowid();
    std::int64_t position = 0;
    for (const double value : metric.samples) {
      sample.bind(1, id);
      sample.bind(2, position++);
      sample.bind(3, value);
      sample.exec();
      sample.reset();
    }
  }
}

void insert_processes(SQLite::Database& database, std::int64_t run, const StoredRun& stored) {
  SQLite::Statement steps(database,
                          "INSERT INTO process_steps (run, process, step_ms) VALUES (?, ?, ?)");
  for (const auto& [process, step_ms] : stored.process_step_ms) {
    const std::string blob = to_blob(step_ms);
    steps.bind(1, run);
    steps.bind(2, process);
    steps.bind(3, blob.data(), static_cast<int>(blob.size()));
    steps.exec();
    steps.reset();
  }
  SQLite::Statement captures(
      database, "INSERT INTO captures (run, process, path, digest) VALUES (?, ?, ?, ?)");
  for (const StoredCapture& capture : stored.captures) {
    captures.bind(1, run);
    captures.bind(2, capture.process);
    captures.bind(3, capture.path);
    captures.bind(4, capture.digest);
    captures.exec();
    captures.reset();
  }
}

Status read_head(SQLite::Database& database, std::int64_t id, StoredRun& run) {
  SQLite::Statement row(
      database,
      "SELECT repo, branch, commit_id, run_id, attempt, started_utc, tool_version, "
      "measure_version, "
      "source, workload_name, workload_digest, outcome, capture_validity, traced_over_untraced, "
      "git_branch, dirty, work_tokens, work_weights_bytes, work_kv_bytes, work_flops, "
      "work_output_hash FROM runs WHERE id = ?");
  row.bind(1, id);
  if (!row.executeStep()) {
    return Error{.code = ErrorCode::not_found,
                 .message = "the store has no run " + std::to_string(id),
                 .hint = "`perfgate baseline list` shows what it has",
                 .context = {}};
  }
  run.identity.repo = row.getColumn(0).getString();
  run.identity.series_branch = row.getColumn(1).getString();
  const std::string git_branch = row.getColumn(14).getString();
  run.identity.branch = git_branch.empty() ? run.identity.series_branch : git_branch;
  run.identity.dirty = row.getColumn(15).getInt() != 0;
  run.identity.commit = row.getColumn(2).getString();
  run.identity.run_id = row.getColumn(3).getString();
  run.identity.attempt = row.getColumn(4).getInt();
  run.identity.started_utc = row.getColumn(5).getString();
  run.identity.tool_version = row.getColumn(6).getString();
  run.identity.measure_version = row.getColumn(7).getInt();
  PG_ASSIGN_OR_RETURN(run.source, run_source_from_string(row.getColumn(8).getString()));
  run.workload_name = row.getColumn(9).getString();
  run.workload_digest = row.getColumn(10).getString();
  run.outcome = row.getColumn(11).getString();
  run.capture_validity = row.getColumn(12).getString();
  if (!row.getColumn(13).isNull()) run.traced_over_untraced = row.getColumn(13).getDouble();
  run.work = read_work(row, 16);
  return {};
}

Status read_metrics(SQLite::Database& database, std::int64_t id, StoredRun& run) {
  SQLite::Statement rows(database,
                         "SELECT m.id, m.metric, m.kind, m.unit, m.better, m.value, s.value "
                         "FROM metrics m LEFT JOIN samples s ON s.metric = m.id "
                         "WHERE m.run = ? ORDER BY m.id, s.position");
  rows.bind(1, id);
  std::optional<std::int64_t> current;
  while (rows.executeStep()) {
    if (const std::int64_t next = rows.getColumn(0).getInt64(); next != current) {
      current = next;
      MetricValue metric;
      metric.id = rows.getColumn(1).getString();
      PG_ASSIGN_OR_RETURN(metric.kind, metric_kind_from_string(rows.getColumn(2).getString()));
      metric.unit = rows.getColumn(3).getString();
      metric.better = rows.getColumn(4).getString() == "lower" ? Better::lower : Better::higher;
      metric.value = rows.getColumn(5).getDouble();
      run.metrics.push_back(std::move(metric));
    }
    if (!rows.getColumn(6).isNull())
      run.metrics.back().samples.push_back(rows.getColumn(6).getDouble());
  }
  return {};
}

}  // namespace

WorkDone read_work(SQLite::Statement& row, int first) {
  const auto figure = [&](int column) {
    return row.getColumn(column).isNull() ? std::optional<double>()
                                          : row.getColumn(column).getDouble();
  };
  WorkDone work{.tokens = figure(first),
                .weights_bytes = figure(first + 1),
                .kv_bytes = figure(first + 2),
                .flops = figure(first + 3),
                .output_hash = {}};
  if (!row.getColumn(first + 4).isNull()) work.output_hash = row.getColumn(first + 4).getString();
  return work;
}

RecordOutcome insert_run(SQLite::Database& database, const StoredRun& run) {
  RecordOutcome outcome{.digest = run_digest(run)};
  if (const auto known = find_run(database, outcome.digest)) {
    outcome.run = *known;
    outcome.was_there = true;
    set_work(database, *known, run);
    return outcome;
  }
  outcome.run = insert_head(database, run, outcome.digest);
  set_work(database, outcome.run, run);
  insert_fields(database, outcome.run, "environment", run.fingerprint.environment);
  insert_fields(database, outcome.run, "subject", run.fingerprint.subject);
  insert_fields(database, outcome.run, "instance", run.fingerprint.instance);
  insert_metrics(database, outcome.run, run.metrics);
  insert_processes(database, outcome.run, run);
  return outcome;
}

void insert_pin(SQLite::Database& database, const Pin& pin) {
  SQLite::Statement insert(database,
                           "INSERT OR IGNORE INTO pins (workload_digest, environment_key, metric, "
                           "level, reason, set_utc, run_digest) VALUES (?, ?, ?, ?, ?, ?, ?)");
  insert.bind(1, pin.key.workload_digest);
  insert.bind(2, pin.key.environment_key);
  insert.bind(3, pin.key.metric);
  insert.bind(4, pin.level);
  insert.bind(5, pin.reason);
  insert.bind(6, pin.utc);
  insert.bind(7, pin.run);
  insert.exec();
}

void insert_mark(SQLite::Database& database, std::int64_t first_run, const LevelMark& mark) {
  SQLite::Statement insert(database,
                           "INSERT OR IGNORE INTO level_marks (first_run, metric, kind, reason, "
                           "set_utc) VALUES (?, ?, ?, ?, ?)");
  insert.bind(1, first_run);
  insert.bind(2, mark.metric);
  insert.bind(3, std::string(to_string(mark.kind)));
  insert.bind(4, mark.reason);
  insert.bind(5, mark.utc);
  insert.exec();
}

void insert_calibration(SQLite::Database& database, const Calibration& calibration) {
  SQLite::Statement insert(database,
                           "INSERT OR IGNORE INTO calibrations (workload_digest, environment_key, "
                           "metric, sd_ratio, occasions, set_utc) VALUES (?, ?, ?, ?, ?, ?)");
  insert.bind(1, calibration.key.workload_digest);
  insert.bind(2, calibration.key.environment_key);
  insert.bind(3, calibration.key.metric);
  insert.bind(4, calibration.sd_ratio);
  insert.bind(5, calibration.occasions);
  insert.bind(6, calibration.utc);
  insert.exec();
}

std::optional<std::int64_t> find_run(SQLite::Database& database, const std::string& digest) {
  SQLite::Statement row(database, "SELECT id FROM runs WHERE digest = ?");
  row.bind(1, digest);
  if (!row.executeStep()) return std::nullopt;
  return row.getColumn(0).getInt64();
}

Fingerprint read_fingerprint(SQLite::Database& database, std::int64_t run) {
  SQLite::Statement rows(database,
                         "SELECT role, field, value FROM fingerprint_fields WHERE run = ?");
  rows.bind(1, run);
  Fingerprint print;
  while (rows.executeStep()) {
    const std::string role = rows.getColumn(0).getString();
    Fields& fields = role == "environment" ? print.environment
                     : role == "subject"   ? print.subject
                                           : print.instance;
    fields[rows.getColumn(1).getString()] = rows.getColumn(2).getString();
  }
  return print;
}

namespace {

Result<StoredRun> read_rows(SQLite::Database& database, std::int64_t id) {
  StoredRun run;
  PG_TRY(read_head(database, id, run));
  run.fingerprint = read_fingerprint(database, id);
  PG_TRY(read_metrics(database, id, run));
  SQLite::Statement steps(database, "SELECT process, step_ms FROM process_steps WHERE run = ?");
  steps.bind(1, id);
  while (steps.executeStep()) {
    run.process_step_ms[steps.getColumn(0).getInt()] = from_blob(steps.getColumn(1).getString());
  }
  SQLite::Statement captures(
      database, "SELECT process, path, digest FROM captures WHERE run = ? ORDER BY process, path");
  captures.bind(1, id);
  while (captures.executeStep()) {
    run.captures.push_back({captures.getColumn(0).getInt(), captures.getColumn(1).getString(),
                            captures.getColumn(2).getString()});
  }
  return run;
}

/// What is formed of a run when it is inserted, and must still be what it forms.
struct Derived {
  std::string digest;
  std::string environment_key;
  std::string instance;
  std::string work_digest;
  bool operator==(const Derived&) const = default;
};

Derived derived_columns(SQLite::Database& database, std::int64_t id) {
  SQLite::Statement row(database,
                        "SELECT digest, environment_key, instance, coalesce(work_digest, '') "
                        "FROM runs WHERE id = ?");
  row.bind(1, id);
  if (!row.executeStep()) return {};
  return {row.getColumn(0).getString(), row.getColumn(1).getString(), row.getColumn(2).getString(),
          row.getColumn(3).getString()};
}

Error damaged(const std::string& path, std::int64_t id, const std::string& what) {
  const std::string number = std::to_string(id);
  return {.code = ErrorCode::corrupt,
          .message = "run " + number + " in " + path + " is damaged: " + what,
          .hint = "perfgate baseline remove " + number + " --store " + path +
                  ", then import its run folder again; or restore a snapshot of the store",
          .context = {}};
}

}  // namespace

Result<StoredRun> read_run(SQLite::Database& database, const std::string& path, std::int64_t id) {
  auto run = read_rows(database, id);
  if (!run.ok() && run.error().code == ErrorCode::corrupt) {
    return damaged(path, id, run.error().message);
  }
  if (!run.ok()) return run;
  const Derived now{run_digest(run.value()), environment_key(run.value().fingerprint),
                    instance_of(run.value().fingerprint), work_digest(run.value())};
  if (derived_columns(database, id) == now) return run;
  return damaged(path, id, "its values are not those that were recorded (their digest differs)");
}

}  // namespace perfgate::baselines
