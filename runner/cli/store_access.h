/// Which store, opened how.
#pragma once

#include <optional>
#include <string>

#include "baselines/select.h"
#include "baselines/store.h"
#include "runner/model/result.h"
#include "runner/model/workload_spec.h"
#include "runner/platform/environment.h"

namespace perfgate::cli {

/// `--store`, else PERFGATE_STORE, else .perfgate/perfgate.db.
[[nodiscard]] std::string store_location(const platform::Environment& environment,
                                         const std::string& named);

/// In CI: the checkout's root, inside which recording is refused.
[[nodiscard]] baselines::StoreOptions store_options(const platform::Environment& environment);

/// The baseline of a run. A store that is not there yet is no error: nothing is recorded, so there
/// is no baseline.
[[nodiscard]] Result<baselines::Selection> select_baseline(const std::string& store,
                                                           const WorkloadSpec& spec,
                                                           const Fingerprint& fingerprint,
                                                           const std::string& branch,
                                                           bool replay_store);

}  // namespace perfgate::cli
