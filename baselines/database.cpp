#include "baselines/database.h"

#include <sqlite3.h>

namespace perfgate::baselines {
namespace {

std::int64_t pragma(SQLite::Database& database, const char* name) {
  return database.execAndGet(std::string("PRAGMA ") + name).getInt64();
}

bool is_empty(SQLite::Database& database) {
  return database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt64() == 0;
}

/// VACUUM INTO fails on an existing file; an earlier attempt's copy shows the same content and
/// stays.
Status back_up(SQLite::Database& database, const std::string& path, std::int64_t version) {
  const std::string copy = path + ".before-v" + std::to_string(version + 1);
  SQLite::Statement vacuum(database, "VACUUM INTO ?");
  vacuum.bind(1, copy);
  try {
    vacuum.exec();
  } catch (const SQLite::Exception& exception) {
    if (std::string(exception.what()).find("already exists") == std::string::npos) throw;
  }
  return {};
}

}  // namespace

Error store_error(const std::string& path, const SQLite::Exception& exception) {
  const auto error = [&](ErrorCode code, std::string what, std::string hint) {
    return Error{.code = code,
                 .message = "the store " + path + " " + std::move(what),
                 .hint = std::move(hint),
                 .context = std::string("SQLite: ") + exception.what()};
  };
  switch (exception.getErrorCode()) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return error(ErrorCode::store, "is locked: another perfgate holds it",
                   "wait until the other run has recorded, then try again");
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return error(ErrorCode::store, "is read-only",
                   "give this user write access, or read without --record");
    case SQLITE_CANTOPEN:
      return error(ErrorCode::store, "cannot be opened",
                   "check that the file and its folder exist and that this user may use them; on a "
                   "read-only mount use a snapshot (perfgate baseline export --snapshot)");
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return error(ErrorCode::corrupt, "is damaged or is not a database",
                   "restore a snapshot, or move the file away and record a new baseline");
    case SQLITE_FULL:
      return error(ErrorCode::io, "could not be written: the disk is full; it is unchanged",
                   "free some space and run the command again");
    case SQLITE_IOERR:
      return error(ErrorCode::io,
                   "could not be read or written (disk full, size limit or a failing disk); no "
                   "change was kept",
                   "check the space and the health of the disk, then run the command again");
    default:
      return error(ErrorCode::store, "could not be used",
                   "report this with the line below if it happens again");
  }
}

Status check_schema(SQLite::Database& database, const std::string& path, int latest) {
  const std::int64_t version = pragma(database, "user_version");
  const std::int64_t owner = pragma(database, "application_id");
  const bool empty = is_empty(database);  // reads the schema page, so that a damaged one shows now
  if (owner != kApplicationId && !(owner == 0 && version == 0 && empty)) {
    return Error{.code = ErrorCode::store,
                 .message = "the file " + path + " is a database of another program",
                 .hint = "name perfgate's own file with --store",
                 .context = {}};
  }
  if (version < 0 || (version == 0 && !empty)) {
    return Error{.code = ErrorCode::corrupt,
                 .message = "the store " + path + " says that its schema is " +
                            std::to_string(version) + ", which no perfgate writes",
                 .hint = "restore a snapshot, or move the file away and record a new baseline",
                 .context = {}};
  }
  if (version > latest) {
    return Error{.code = ErrorCode::store,
                 .message = "the store " + path + " was written by a newer perfgate (schema " +
                            std::to_string(version) + ", this one knows " + std::to_string(latest) +
                            ")",
                 .hint = "use that newer perfgate, or name another store",
                 .context = {}};
  }
  return {};
}

Status migrate(SQLite::Database& database, const std::string& path,
               std::span<const Migration> steps) {
  const int latest = steps.empty() ? 0 : steps.back().version;
  PG_TRY(check_schema(database, path, latest));
  const std::int64_t before = pragma(database, "user_version");
  if (before == latest) return {};
  if (before > 0) PG_TRY(back_up(database, path, before));
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  // Another process may have migrated while this one waited for the lock.
  PG_TRY(check_schema(database, path, latest));
  const std::int64_t version = pragma(database, "user_version");
  for (const Migration& step : steps) {
    if (step.version <= version) continue;
    database.exec(std::string(step.sql));
    database.exec("PRAGMA user_version = " + std::to_string(step.version));
  }
  database.exec("PRAGMA application_id = " + std::to_string(kApplicationId));
  SQLite::Statement broken(database, "PRAGMA foreign_key_check");
  if (broken.executeStep()) {
    return Error{
        .code = ErrorCode::corrupt,
        .message = "the store " + path + " has rows that refer to nothing; it is unchanged",
        .hint = "restore a snapshot of it",
        .context = {}};
  }
  broken.reset();
  transaction.commit();
  return {};
}

}  // namespace perfgate::baselines
