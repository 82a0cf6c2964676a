#include "baselines/maintenance.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include "baselines/database.h"
#include "baselines/location.h"
#include "baselines/rows.h"

namespace perfgate::baselines {
namespace {

constexpr std::size_t kShortestReference = 4;

/// Runs at which a pin that counts was set. Of two equal workloads each has pins of its own: a pin
/// belongs to the name of its run, and to every name where the run is not known.
constexpr const char* kPinnedRuns =
    "SELECT r.id AS run, p.id AS pin, p.metric AS metric FROM pins p JOIN runs r ON r.digest = "
    "p.run_digest "
    "WHERE NOT EXISTS (SELECT 1 FROM pins n LEFT JOIN runs o ON o.digest = n.run_digest "
    "  WHERE n.workload_digest = p.workload_digest "
    "  AND n.environment_key = p.environment_key AND n.metric = p.metric "
    "  AND (o.id IS NULL OR o.workload_name = r.workload_name) "
    "  AND (n.set_utc, n.id) > (p.set_utc, p.id))";

std::vector<std::string> pinned_metrics(SQLite::Database& database, std::int64_t run) {
  SQLite::Statement rows(database, std::string("SELECT DISTINCT metric FROM (") + kPinnedRuns +
                                       ") WHERE run = ? ORDER BY metric");
  rows.bind(1, run);
  std::vector<std::string> metrics;
  while (rows.executeStep()) metrics.push_back(rows.getColumn(0).getString());
  return metrics;
}

/// Older pins of the metric go too, so that none comes back.
void forget_pins(SQLite::Database& database, std::int64_t run,
                 const std::vector<std::string>& metrics) {
  SQLite::Statement remove(
      database,
      "DELETE FROM pins WHERE metric = ?2 AND (workload_digest, environment_key) = "
      "(SELECT workload_digest, environment_key FROM runs WHERE id = ?1) "
      "AND NOT EXISTS (SELECT 1 FROM runs o WHERE o.digest = pins.run_digest "
      "  AND o.workload_name <> (SELECT workload_name FROM runs WHERE id = ?1))");
  for (const std::string& each : metrics) {
    remove.bind(1, run);
    remove.bind(2, each);
    remove.exec();
    remove.reset();
  }
}

constexpr const char* kSummary =
    "SELECT id, digest, workload_name, workload_digest, environment_key, branch, commit_id, "
    "started_utc, source, outcome, instance FROM runs ";

std::vector<RunSummary> read_summaries(SQLite::Statement& rows) {
  std::vector<RunSummary> runs;
  while (rows.executeStep()) {
    const auto text = [&](int column) { return rows.getColumn(column).getString(); };
    runs.push_back({rows.getColumn(0).getInt64(), text(1), text(2), text(3), text(4), text(5),
                    text(6), text(7), text(8), text(9), text(10)});
  }
  return runs;
}

std::vector<std::string> begun_levels(SQLite::Database& database, std::int64_t run) {
  SQLite::Statement rows(
      database, "SELECT DISTINCT metric FROM level_marks WHERE first_run = ? ORDER BY metric");
  rows.bind(1, run);
  std::vector<std::string> metrics;
  while (rows.executeStep()) metrics.push_back(rows.getColumn(0).getString());
  return metrics;
}

bool begins_level(SQLite::Database& database, std::int64_t run) {
  SQLite::Statement row(database, "SELECT 1 FROM level_marks WHERE first_run = ?");
  row.bind(1, run);
  return row.executeStep();
}

/// Error `usage` that says by what the run is held.
Status check_not_held(SQLite::Database& database, std::int64_t run) {
  const std::vector<std::string> metrics = pinned_metrics(database, run);
  const std::string number = std::to_string(run);
  if (!metrics.empty()) {
    return Error{.code = ErrorCode::usage,
                 .message = "run " + number + " is pinned for " + metrics.front() +
                            (metrics.size() > 1 ? " and others" : "") + "; nothing was removed",
                 .hint = "perfgate baseline unpin " + number + " first, or --force",
                 .context = {}};
  }
  if (!begins_level(database, run)) return {};
  return Error{.code = ErrorCode::usage,
               .message = "a level begins at run " + number + "; nothing was removed",
               .hint = "without it the runs before it count again; --force removes both",
               .context = {}};
}

Error no_such_run(const Store& store, const std::string& reference) {
  return {.code = ErrorCode::not_found,
          .message = "the store " + store.path() + " has no run " + reference,
          .hint = "`perfgate baseline list` shows what it has",
          .context = {}};
}

bool is_row_number(const std::string& text, std::int64_t& number) {
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  return parsed.ec == std::errc{} && parsed.ptr == end;
}

/// Rows by number, or digests that start with `reference`; at most two are asked for.
std::vector<std::int64_t> candidates(SQLite::Database& database, std::string reference) {
  constexpr std::string_view kScheme = "store:";
  if (reference.starts_with(kScheme)) reference.erase(0, kScheme.size());
  std::vector<std::int64_t> found;
  std::int64_t number = 0;
  if (is_row_number(reference, number)) {
    SQLite::Statement row(database, "SELECT id FROM runs WHERE id = ?");
    row.bind(1, number);
    if (row.executeStep()) return {row.getColumn(0).getInt64()};
  }
  if (reference.size() < kShortestReference) return found;
  SQLite::Statement rows(database,
                         "SELECT id FROM runs WHERE substr(digest, 1, length(?1)) = ?1 LIMIT 2");
  rows.bind(1, reference);
  while (rows.executeStep()) found.push_back(rows.getColumn(0).getInt64());
  return found;
}

}  // namespace

Result<std::vector<RunSummary>> list_runs(const Store& store, const ListFilter& filter) {
  return guarded(store.path(), [&]() -> Result<std::vector<RunSummary>> {
    SQLite::Statement rows(store.database(),
                           std::string(kSummary) +
                               "WHERE (?1 = '' OR workload_name = ?1) AND (?2 = '' OR branch = ?2) "
                               "ORDER BY started_utc DESC, id DESC LIMIT ?3");
    rows.bind(1, filter.workload_name);
    rows.bind(2, filter.branch);
    rows.bind(3, filter.most);
    std::vector<RunSummary> runs = read_summaries(rows);
    for (RunSummary& run : runs) {
      run.pinned = pinned_metrics(store.database(), run.run);
      run.begins = begun_levels(store.database(), run.run);
    }
    return runs;
  });
}

Result<std::int64_t> find_reference(const Store& store, const std::string& reference) {
  return guarded(store.path(), [&]() -> Result<std::int64_t> {
    const std::vector<std::int64_t> found = candidates(store.database(), reference);
    if (found.empty()) return no_such_run(store, reference);
    if (found.size() > 1) {
      return Error{.code = ErrorCode::usage,
                   .message = "several runs of the store begin with " + reference,
                   .hint = "give more digits of the digest",
                   .context = {}};
    }
    return found.front();
  });
}

Result<StoredRun> show_run(const Store& store, std::int64_t run) {
  return guarded(store.path(), [&]() -> Result<StoredRun> {
    const SQLite::Transaction transaction(store.database());
    return read_run(store.database(), store.path(), run);
  });
}

Result<std::vector<Pin>> pins_of(const Store& store, std::int64_t run) {
  return guarded(store.path(), [&]() -> Result<std::vector<Pin>> {
    SQLite::Statement rows(
        store.database(),
        std::string("SELECT workload_digest, environment_key, metric, level, reason, set_utc, "
                    "run_digest FROM pins WHERE id IN (SELECT pin FROM (") +
            kPinnedRuns + ") WHERE run = ?) ORDER BY metric");
    rows.bind(1, run);
    std::vector<Pin> pins;
    while (rows.executeStep()) {
      const auto text = [&](int column) { return rows.getColumn(column).getString(); };
      pins.push_back(
          {{text(0), text(1), text(2)}, rows.getColumn(3).getDouble(), text(4), text(5), text(6)});
    }
    return pins;
  });
}

Result<std::vector<LevelMark>> marks_of(const Store& store, std::int64_t run) {
  return guarded(store.path(), [&]() -> Result<std::vector<LevelMark>> {
    SQLite::Statement rows(store.database(),
                           "SELECT r.digest, m.metric, m.kind, m.reason, m.set_utc FROM "
                           "level_marks m JOIN runs r ON r.id = m.first_run WHERE r.id = ? "
                           "ORDER BY m.metric, m.set_utc, m.id");
    rows.bind(1, run);
    std::vector<LevelMark> marks;
    while (rows.executeStep()) {
      const auto text = [&](int column) { return rows.getColumn(column).getString(); };
      PG_ASSIGN_OR_RETURN(const LevelMark::Kind kind, level_mark_kind_from_string(text(2)));
      marks.push_back({text(0), text(1), kind, text(3), text(4)});
    }
    return marks;
  });
}

Result<Pruned> prune(Store& store, int keep) {
  if (keep < 1) {
    return Error{.code = ErrorCode::usage,
                 .message = "prune keeps at least one run a series",
                 .hint = "name a number of runs to keep, for example --keep 200",
                 .context = {}};
  }
  return guarded(store.path(), [&]() -> Result<Pruned> {
    const std::string beyond =
        "SELECT id FROM (SELECT id, row_number() OVER ("
        "PARTITION BY workload_name, workload_digest, environment_key, branch, source "
        "ORDER BY started_utc DESC, id DESC) AS place FROM runs) WHERE place > ?1";
    SQLite::Transaction transaction(store.database(), SQLite::TransactionBehavior::IMMEDIATE);
    SQLite::Statement old(store.database(),
                          kSummary + ("WHERE id IN (" + beyond) +
                              ") AND id NOT IN (SELECT first_run FROM level_marks) "
                              "AND id NOT IN (SELECT run FROM (" +
                              kPinnedRuns + ")) ORDER BY started_utc, id");
    old.bind(1, keep);
    Pruned pruned;
    pruned.deleted = read_summaries(old);
    old.reset();
    SQLite::Statement remove(store.database(), "DELETE FROM runs WHERE id = ?");
    for (const RunSummary& run : pruned.deleted) {
      remove.bind(1, run.run);
      remove.exec();
      remove.reset();
    }
    SQLite::Statement left(store.database(), "SELECT count(*) FROM (" + beyond + ")");
    left.bind(1, keep);
    if (left.executeStep()) pruned.held = left.getColumn(0).getInt();
    left.reset();
    transaction.commit();
    return pruned;
  });
}

Result<std::vector<std::string>> remove_runs(Store& store, const std::vector<std::int64_t>& runs,
                                             HeldRuns held) {
  return guarded(store.path(), [&]() -> Result<std::vector<std::string>> {
    SQLite::Transaction transaction(store.database(), SQLite::TransactionBehavior::IMMEDIATE);
    SQLite::Statement remove(store.database(), "DELETE FROM runs WHERE id = ?");
    std::vector<std::string> unpinned;
    for (const std::int64_t run : runs) {
      if (held == HeldRuns::refuse) PG_TRY(check_not_held(store.database(), run));
      const std::vector<std::string> metrics = pinned_metrics(store.database(), run);
      forget_pins(store.database(), run, metrics);
      unpinned.insert(unpinned.end(), metrics.begin(), metrics.end());
      remove.bind(1, run);
      // The rest of a run goes with its row: ON DELETE CASCADE.
      if (remove.exec() == 0) return no_such_run(store, std::to_string(run));
      remove.reset();
    }
    transaction.commit();
    return unpinned;
  });
}

Result<std::vector<std::string>> unpin(Store& store, std::int64_t run, const std::string& metric) {
  return guarded(store.path(), [&]() -> Result<std::vector<std::string>> {
    SQLite::Transaction transaction(store.database(), SQLite::TransactionBehavior::IMMEDIATE);
    std::vector<std::string> metrics = pinned_metrics(store.database(), run);
    if (!metric.empty()) std::erase_if(metrics, [&](const auto& each) { return each != metric; });
    if (metrics.empty()) {
      return Error{.code = ErrorCode::not_found,
                   .message = "run " + std::to_string(run) + " is not pinned" +
                              (metric.empty() ? std::string() : " for " + metric),
                   .hint = "`perfgate baseline list` shows which runs are",
                   .context = {}};
    }
    forget_pins(store.database(), run, metrics);
    transaction.commit();
    return metrics;
  });
}

Status write_snapshot(const Store& store, const std::string& target) {
  PG_ASSIGN_OR_RETURN(const std::string path, store_path(target));
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    return Error{.code = ErrorCode::usage,
                 .message = "the snapshot " + path + " exists already",
                 .hint = "name a new file, or remove that one first",
                 .context = {}};
  }
  // Written beside its final name, so that a reader never opens half of it.
  const std::string partial = path + ".partial";
  std::filesystem::remove(partial, error);
  Status written = guarded(partial, [&]() -> Status {
    SQLite::Statement vacuum(store.database(), "VACUUM INTO ?");
    vacuum.bind(1, partial);
    vacuum.exec();
    return {};
  });
  if (written.ok()) std::filesystem::rename(partial, path, error);
  if (written.ok() && !error) return {};
  std::error_code ignored;
  std::filesystem::remove(partial, ignored);
  if (!written.ok()) return written;
  return Error{.code = ErrorCode::io,
               .message = "cannot name the snapshot " + path + ": " + error.message(),
               .hint = "check the folder and its permissions",
               .context = {}};
}

}  // namespace perfgate::baselines
