/// What is recorded on a branch, by comparable series: for reports over a history.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "baselines/store.h"
#include "runner/model/result.h"
#include "runner/model/run_result.h"

namespace perfgate::baselines {

struct RecordedRun {
  std::int64_t run = 0;  ///< store row
  std::string commit{};  ///< empty = unknown
  std::string started_utc{};
  std::string outcome{};  ///< of the verdict when it was recorded
};

/// The measured runs of one workload file in one environment.
struct RecordedSeries {
  std::string workload_name{};
  std::string workload_digest{};
  std::string environment_key{};
  std::vector<RecordedRun> runs{};  ///< by date, oldest first; never empty
};

/// Of this measuring version; by workload name, within it by the date of the first run. `branch`
/// empty = all. Index columns only: whoever judges by the runs selects them (select.h), which
/// checks them.
[[nodiscard]] Result<std::vector<RecordedSeries>> recorded_series(
    const Store& store, const std::string& branch, int measure_version = kMeasureVersion);

}  // namespace perfgate::baselines
