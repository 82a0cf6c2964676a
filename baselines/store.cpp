#include "baselines/store.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>
#include <utility>

#include <sqlite3.h>
#include <unistd.h>

#include "baselines/database.h"
#include "baselines/location.h"
#include "baselines/rows.h"
#include "runner/platform/streamed_file.h"

namespace perfgate::baselines {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHex = "0123456789ABCDEF";
constexpr std::string_view kPlain =
    "/._-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kMagic{"SQLite format 3\0", 16};

/// A store that another perfgate is about to begin is empty for a moment.
bool stays_empty(const std::string& path, int timeout_ms) {
  constexpr int kStepMs = 20;
  constexpr int kLongestMs = 1000;
  std::error_code error;
  for (int waited = 0; waited <= std::min(timeout_ms, kLongestMs); waited += kStepMs) {
    const auto bytes = fs::file_size(path, error);
    if (error || bytes > 0) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(kStepMs));
  }
  return true;
}

/// What a store held is gone where its file is empty: recording into it would begin anew in
/// silence.
Status check_not_emptied(const std::string& path, int timeout_ms) {
  if (!stays_empty(path, timeout_ms)) return {};
  return Error{.code = ErrorCode::corrupt,
               .message = "the store " + path +
                          " is an empty file: what was recorded in it is lost (a full disk, or it "
                          "was cut)",
               .hint =
                   "restore a snapshot, or move the file away, then `perfgate baseline import` "
                   "an export or the run folders; if it never held a run, remove it",
               .context = {}};
}

/// A new store comes to be whole: a disk that is full at this moment leaves no empty file, which
/// would later be taken for a store that was lost. Of two that begin one, the first stays.
Status begin_store(const std::string& path) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error))) return {};
  SQLite::Database memory(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  PG_TRY(migrate(memory, path, migrations()));
  sqlite3_int64 bytes = 0;
  const std::unique_ptr<unsigned char, decltype(&sqlite3_free)> image(
      sqlite3_serialize(memory.getHandle(), "main", &bytes, 0), &sqlite3_free);
  if (image == nullptr) throw SQLite::Exception("no image of a new store", SQLITE_NOMEM);
  PG_ASSIGN_OR_RETURN(platform::StreamedFile file, platform::StreamedFile::create(path));
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as text
  PG_TRY(
      file.append({reinterpret_cast<const char*>(image.get()), static_cast<std::size_t>(bytes)}));
  PG_ASSIGN_OR_RETURN(const bool is_new, file.commit_new());
  static_cast<void>(is_new);
  return {};
}

/// Anything must start with SQLite's magic bytes; asked here, as SQLite itself would say "not a
/// database" only at the first statement.
Status check_magic(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, kMagic.size()> head{};
  file.read(head.data(), head.size());
  const auto count = static_cast<std::size_t>(file.gcount());
  if (count == 0 || std::string_view(head.data(), count) == kMagic) return {};
  return Error{.code = ErrorCode::corrupt,
               .message = "the file " + path + " is not a perfgate store",
               .hint =
                   "name the right file with --store, restore a snapshot, or move the file away "
                   "and record a new baseline",
               .context = {}};
}

Status make_folder(const std::string& path) {
  std::error_code error;
  const fs::path folder = fs::path(path).parent_path();
  fs::create_directories(folder, error);
  if (!error) return {};
  return Error{.code = ErrorCode::io,
               .message = "cannot create the folder " + folder.string() + ": " + error.message(),
               .hint = "create it, or name another place with --store",
               .context = {}};
}

/// SQLite needs to write beside the file even to read under WAL. Where it may not, and no WAL with
/// content lies there, the file itself is the whole truth.
bool must_be_immutable(const std::string& path) {
  std::error_code error;
  const auto wal_bytes = fs::file_size(path + "-wal", error);
  const bool has_wal = !error && wal_bytes > 0;
  return !has_wal && ::access(fs::path(path).parent_path().c_str(), W_OK) != 0;
}

std::string immutable_uri(const std::string& path) {
  std::string uri = "file://";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (kPlain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += {'%', kHex[byte >> 4U], kHex[byte & 0xFU]};
    }
  }
  return uri + "?immutable=1";
}

Result<std::unique_ptr<SQLite::Database>> open_to_read(const std::string& path, bool immutable,
                                                       int timeout_ms) {
  auto database =
      immutable ? std::make_unique<SQLite::Database>(
                      immutable_uri(path), SQLite::OPEN_READONLY | SQLite::OPEN_URI, timeout_ms)
                : std::make_unique<SQLite::Database>(path, SQLite::OPEN_READONLY, timeout_ms);
  const int latest = migrations().back().version;
  PG_TRY(check_schema(*database, path, latest));
  const std::int64_t version = database->execAndGet("PRAGMA user_version").getInt64();
  if (version != latest) {
    return Error{.code = ErrorCode::store,
                 .message = "the store " + path + " is empty or of an older schema (" +
                            std::to_string(version) + ", this perfgate reads " +
                            std::to_string(latest) + ")",
                 .hint = "record a run into it, which brings it up to date",
                 .context = {}};
  }
  return database;
}

Result<std::unique_ptr<SQLite::Database>> open_to_record(const std::string& path, int timeout_ms) {
  auto database = std::make_unique<SQLite::Database>(
      path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, timeout_ms);
  database->exec("PRAGMA foreign_keys = ON");
  PG_TRY(migrate(*database, path, migrations()));
  // After the schema stands in the file itself, so that a reader without the WAL sees whose file it
  // is.
  SQLite::Statement wal(*database, "PRAGMA journal_mode = WAL");
  while (wal.executeStep()) {
  }
  database->exec("PRAGMA synchronous = FULL");
  return database;
}

Status check_runs(const Store& store) {
  const SQLite::Transaction transaction(store.database());
  SQLite::Statement ids(store.database(), "SELECT id FROM runs ORDER BY id");
  while (ids.executeStep())
    PG_TRY(read_run(store.database(), store.path(), ids.getColumn(0).getInt64()));
  return {};
}

}  // namespace

Store::Store(std::string path, std::unique_ptr<SQLite::Database> database)
    : path_(std::move(path)), database_(std::move(database)) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

Result<Store> Store::open(const std::string& named, OpenMode mode, const StoreOptions& options) {
  PG_ASSIGN_OR_RETURN(const std::string path, store_path(named));
  std::error_code error;
  if (mode == OpenMode::record) {
    PG_TRY(make_folder(path));
    PG_TRY(check_recordable(path, options.checkout));
    PG_TRY(guarded(path, [&]() -> Status { return begin_store(path); }));
  } else if (!fs::exists(path, error)) {
    return Error{.code = ErrorCode::not_found,
                 .message = "there is no store " + path,
                 .hint = "record a first baseline with `perfgate run FILE --record`",
                 .context = {}};
  }
  if (::access(path.c_str(), F_OK) == 0 && ::access(path.c_str(), R_OK) != 0) {
    return Error{.code = ErrorCode::store,
                 .message = "the store " + path + " cannot be read by this user",
                 .hint = "give this user read access, or name another store",
                 .context = {}};
  }
  PG_TRY(check_not_emptied(path, options.busy_timeout_ms));
  PG_TRY(check_magic(path));
  return guarded(path, [&]() -> Result<Store> {
    const bool immutable = mode == OpenMode::snapshot || must_be_immutable(path);
    PG_ASSIGN_OR_RETURN(auto database,
                        mode == OpenMode::record
                            ? open_to_record(path, options.busy_timeout_ms)
                            : open_to_read(path, immutable, options.busy_timeout_ms));
    return Store(path, std::move(database));
  });
}

Status check_integrity(const Store& store) {
  return guarded(store.path(), [&]() -> Status {
    const std::string finding =
        store.database().execAndGet("PRAGMA integrity_check(1)").getString();
    SQLite::Statement broken(store.database(), "PRAGMA foreign_key_check");
    const bool has_broken = broken.executeStep();
    if (finding == "ok" && !has_broken) return check_runs(store);
    return Error{.code = ErrorCode::corrupt,
                 .message = "the store " + store.path() + " is damaged",
                 .hint = "restore a snapshot, or move the file away and record a new baseline",
                 .context = finding == "ok" ? "rows refer to runs that are not there" : finding};
  });
}

}  // namespace perfgate::baselines
