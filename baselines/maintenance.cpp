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
std::vector<std::int64_t> candidates(SQLite::Database& database, const std::string& reference) {
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
    SQLite::Statement rows(
        store.database(),
        "SELECT id, digest, workload_name, workload_digest, environment_key, branch, commit_id, "
        "started_utc, source, outcome, instance FROM runs "
        "WHERE (?1 = '' OR workload_name = ?1) AND (?2 = '' OR branch = ?2) "
        "ORDER BY started_utc DESC, id DESC LIMIT ?3");
    rows.bind(1, filter.workload_name);
    rows.bind(2, filter.branch);
    rows.bind(3, filter.most);
    std::vector<RunSummary> runs;
    while (rows.executeStep()) {
      const auto text = [&](int column) { return rows.getColumn(column).getString(); };
      runs.push_back({rows.getColumn(0).getInt64(), text(1), text(2), text(3), text(4), text(5),
                      text(6), text(7), text(8), text(9), text(10)});
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
    return read_run(store.database(), run);
  });
}

Result<int> prune(Store& store, int keep) {
  if (keep < 1) {
    return Error{.code = ErrorCode::usage,
                 .message = "prune keeps at least one run a series",
                 .hint = "name a number of runs to keep, for example --keep 200",
                 .context = {}};
  }
  return guarded(store.path(), [&]() -> Result<int> {
    SQLite::Transaction transaction(store.database(), SQLite::TransactionBehavior::IMMEDIATE);
    SQLite::Statement remove(
        store.database(),
        "DELETE FROM runs WHERE id IN (SELECT id FROM (SELECT id, row_number() OVER ("
        "PARTITION BY workload_digest, environment_key, branch, source "
        "ORDER BY started_utc DESC, id DESC) AS place FROM runs) WHERE place > ?) "
        "AND id NOT IN (SELECT first_run FROM level_marks)");
    remove.bind(1, keep);
    const int removed = remove.exec();
    transaction.commit();
    return removed;
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
