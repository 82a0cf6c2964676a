/// The baseline store: a SQLite file behind functions. This header opens it; record.h writes runs,
/// select.h reads a baseline, maintenance.h keeps house, exchange.h moves runs between stores.
///
/// Modes: `record` creates the file (and its folder) where there is none, migrates an older one (a
/// copy FILE.before-vN is made first), and writes under WAL with BEGIN IMMEDIATE, so that two
/// perfgates take turns. `read` changes nothing; a store in a folder that cannot be written is
/// opened immutable. `snapshot` opens a copy made by `write_snapshot` immutable: read-only mounts
/// and other users work.
///
/// Threads: one Store per thread; any number of Stores and processes on one file.
/// Errors: every one names the file and the next step. `not_found` (read: no file), `usage` (path),
/// `store` (locked after the timeout, read-only, newer schema, older schema while reading, not
/// perfgate's, network file system, inside the checkout), `corrupt` (not a database, damaged, an
/// empty file: perfgate leaves none), `io`
/// (disk full, other failures). After an error the file holds what it held before: every change is
/// one transaction.
#pragma once

#include <memory>
#include <string>

#include "runner/model/result.h"

namespace SQLite {  // NOLINT(readability-identifier-naming): the library's name
class Database;
}

namespace perfgate::baselines {

enum class OpenMode { read, snapshot, record };

struct StoreOptions {
  int busy_timeout_ms = 10'000;
  /// In CI: root of the checkout, inside which recording is refused. Empty = not in CI.
  std::string checkout{};
};

class Store {
 public:
  [[nodiscard]] static Result<Store> open(const std::string& named, OpenMode mode,
                                          const StoreOptions& options = {});
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// For the functions of this folder.
  [[nodiscard]] SQLite::Database& database() const { return *database_; }

 private:
  Store(std::string path, std::unique_ptr<SQLite::Database> database);
  std::string path_;
  std::unique_ptr<SQLite::Database> database_;
};

/// Reads every page, every foreign key and every run with its digest. Slow on a large store; for
/// `doctor`. `corrupt` with the finding; of runs it names the first that is damaged.
[[nodiscard]] Status check_integrity(const Store& store);

}  // namespace perfgate::baselines
