/// `perfgate trend`: which series of a store are reported, and what they show.
#pragma once

#include <string>
#include <vector>

#include "baselines/store.h"
#include "runner/cli/git.h"
#include "runner/model/result.h"
#include "runner/model/trend.h"
#include "runner/model/workload_spec.h"

namespace perfgate::cli {

struct TrendRequest {
  std::string store{};  ///< as it is named in commands; empty = the default one
  std::string branch{};
  Ancestry ancestry{};
  std::vector<WorkloadSpec> specs{};     ///< files that were named; empty = all of the store
  std::vector<std::string> workloads{};  ///< only these names; empty = all
  int last = 200;
  std::string now_utc{};
};

/// Each workload in each environment that still goes on: one without a run since another
/// environment of the workload began is told in a note of that. The runs are those that `run` would
/// be compared with (baselines/select.h), across level marks, `last` at most. Where none of the
/// recorded commits is known to this checkout, they stand in the order of dates, and `order` says
/// so. Without a file the gates are not known: `step_time_p50` and what is pinned are watched, with
/// automatic margins. Errors: those of the store.
[[nodiscard]] Result<TrendReport> form_trend(const TrendRequest& request,
                                             const baselines::Store& store);

}  // namespace perfgate::cli
