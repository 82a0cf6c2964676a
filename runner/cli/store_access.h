/// Which store, opened how.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "baselines/select.h"
#include "baselines/store.h"
#include "runner/cli/git.h"
#include "runner/model/result.h"
#include "runner/model/workload_spec.h"
#include "runner/platform/environment.h"
#include "runner/platform/files.h"

namespace perfgate::cli {

inline constexpr std::string_view kDefaultStore = ".perfgate/perfgate.db";
/// Digits of a commit that are shown.
inline constexpr std::size_t kShownCommit = 10;

/// `--store`, else PERFGATE_STORE, else .perfgate/perfgate.db.
[[nodiscard]] std::string store_location(const platform::Environment& environment,
                                         const std::string& named);

/// Of a store `.perfgate/perfgate.db` that is not there: the nearest one in a folder above, which
/// is the project's where perfgate was called in a subfolder. Absolute; empty = none.
[[nodiscard]] std::string store_above(const platform::FileSystem& files, const std::string& store);

/// With its microseconds: two calls of one second are two occasions in the store.
[[nodiscard]] std::string precise_utc(std::int64_t realtime_ns);

/// In CI: the checkout's root, inside which recording is refused.
[[nodiscard]] baselines::StoreOptions store_options(const platform::Environment& environment);

/// Makes the folder `.perfgate` that holds `path` with a .gitignore that takes all of it, so that
/// what is measured is never committed; does nothing for a path elsewhere, or where one is there.
[[nodiscard]] Status ignore_in_git(platform::FileSystem& files, const std::string& path);

/// Opens the store to write into it; makes it where there is none.
[[nodiscard]] Result<baselines::Store> open_to_record(const std::string& store,
                                                      const platform::Environment& environment);

struct BaselinePlace {
  std::string store;
  std::string branch;
  bool replay_store = false;        ///< replayed and imported runs serve too
  std::string exclude_digest = {};  ///< of a run that is judged again: never its own baseline
  Ancestry ancestry = {};           ///< limits the runs to those of ancestors where it is known
  bool unchanging = false;          ///< nobody writes the store: it is read without side files
};

/// The baseline of a run. A store that is not there yet is no error: nothing is recorded, so there
/// is no baseline. Where the ancestry is not known the newest runs serve, and `how` says why.
[[nodiscard]] Result<baselines::Selection> select_baseline(const BaselinePlace& place,
                                                           const WorkloadSpec& spec,
                                                           const Fingerprint& fingerprint);

}  // namespace perfgate::cli
