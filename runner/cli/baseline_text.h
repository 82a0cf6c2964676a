/// A stored run as `baseline show` and `baseline remove` print it, and an empty list. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "baselines/maintenance.h"
#include "baselines/record.h"
#include "baselines/stored_run.h"
#include "reporters/render/table.h"

namespace perfgate::cli {

/// "run 17: decode_8b, commit 3f2a91c5d8 (with uncommitted changes) on feature, 2026-11-02T..,
/// pass".
[[nodiscard]] std::string stored_run_line(std::int64_t row, const baselines::StoredRun& run);

/// "step_time_p50, gpu_idle_ms"; of a mark for all of them, which has none, "all metrics".
[[nodiscard]] std::string level_words(const std::vector<std::string>& metrics);

/// What the store knows of a run beside its values.
struct KnownOfRun {
  std::vector<baselines::Pin> pins{};
  std::vector<baselines::Calibration> calibrations{};
  std::vector<baselines::LevelMark> marks{};
};

/// That line, then series, digests, pins and level marks with their reasons, calibrated SDs,
/// fingerprint and metrics.
[[nodiscard]] std::string stored_run_text(std::int64_t row, const baselines::StoredRun& run,
                                          const KnownOfRun& known,
                                          const render::TerminalStyle& style);

/// "a, b", fit to be shown.
[[nodiscard]] std::string joined_words(const std::vector<std::string>& words);

/// `baseline list`: a line a run, and for programs.
[[nodiscard]] std::string run_list_text(const std::vector<baselines::RunSummary>& runs,
                                        const render::TerminalStyle& style);
[[nodiscard]] std::string run_list_json(const std::vector<baselines::RunSummary>& runs);

/// Why a list is empty, of all runs of the store and the filters (empty = none): nothing was
/// recorded, or not of that workload or branch, and which ones there are.
[[nodiscard]] std::string empty_list_text(const std::vector<baselines::RunSummary>& all,
                                          const std::string& workload, const std::string& branch);

}  // namespace perfgate::cli
