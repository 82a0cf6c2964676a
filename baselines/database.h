/// Inside this folder only: SQLite's exceptions become errors here, and the schema is brought up to
/// date.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <SQLiteCpp/SQLiteCpp.h>

#include "baselines/migrations.h"
#include "runner/model/result.h"

namespace perfgate::baselines {

/// "pgat": PRAGMA application_id of every store.
inline constexpr std::int64_t kApplicationId = 0x70676174;

/// What an exception of SQLite means for the person who waits, with the file and the next step.
[[nodiscard]] Error store_error(const std::string& path, const SQLite::Exception& exception);

/// Runs `work` and turns an SQLite exception into an error. `work` returns a Status or a Result.
template <typename Work>
auto guarded(const std::string& path, Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const SQLite::Exception& exception) {
    return store_error(path, exception);
  }
}

/// Applies the steps above PRAGMA user_version, all in one transaction, then switches to WAL. A
/// store with content is copied to PATH.before-vN first. `steps` is `migrations()` but in tests.
[[nodiscard]] Status migrate(SQLite::Database& database, const std::string& path,
                             std::span<const Migration> steps);

/// Is this perfgate's, and of a schema that `latest` steps describe? An empty database passes.
[[nodiscard]] Status check_schema(SQLite::Database& database, const std::string& path, int latest);

}  // namespace perfgate::baselines
