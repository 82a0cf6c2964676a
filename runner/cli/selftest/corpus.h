/// The recorded runs of a corpus, read and analysed once: run folders as heads, and a store a
/// workload made of the runs that nothing was planted in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "baselines/stored_run.h"
#include "runner/model/result.h"
#include "runner/model/run_result.h"
#include "runner/model/workload_spec.h"
#include "runner/platform/files.h"

namespace perfgate::cli::selftest {

inline constexpr std::string_view kCandidate = "candidate";

/// One recorded run that can be judged.
struct Head {
  std::string name;    ///< "candidate", "graphs_off", "run 3"
  std::string folder;  ///< absolute; empty: a point of the store, with figures alone
  std::string digest;  ///< in the store; empty = not in it
  RunResult result;    ///< analysed, not judged
};

struct Recording {
  WorkloadSpec spec;
  std::vector<Head> heads;                 ///< run folders by name, then the points of the store
  std::vector<baselines::StoredRun> runs;  ///< baseline.jsonl's, then the candidate
  std::string store;                       ///< a store with all of `runs`
};

/// `corpus`/NAME: baseline.jsonl, candidate/ and other run folders. The store is made below
/// `temporary`. Errors: `not_found`, `corrupt` (cut, edited), those of the store.
[[nodiscard]] Result<Recording> load_recording(const platform::FileSystem& files,
                                               const std::string& corpus, const std::string& name,
                                               const std::string& temporary);

/// A store with the newest `count` of the runs, but for the one of this digest. Made at `path`.
[[nodiscard]] Status make_store(const std::string& path, const Recording& recording, int count,
                                const std::string& without);

}  // namespace perfgate::cli::selftest
