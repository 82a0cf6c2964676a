/// The sentences of the nightly report, the same in each of its formats. Pure. Internal to the
/// folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/model/trend.h"

namespace perfgate::render {

struct TrendAlert {
  std::string code{};  ///< to_string of the state, or "newest_failed"
  std::string workload{};
  std::string metric{};  ///< empty = of the workload
  std::string sentence{};
  std::string advice{};                 ///< what to do, in words
  std::vector<std::string> commands{};  ///< to be copied whole
};

/// Worst first: breaches and standing steps, creep beyond the margin, other creep, failed runs.
[[nodiscard]] std::vector<TrendAlert> trend_alerts(const TrendReport& report);

/// "ALERT", "NOT JUDGED" or "QUIET".
[[nodiscard]] std::string_view trend_word(const TrendReport& report);
/// "2 alerts; 3 workloads on branch main, 20 metrics watched", with the policies.
[[nodiscard]] std::string trend_sentence(const TrendReport& report);
/// Which runs of which store, in which order.
[[nodiscard]] std::string trend_ground(const TrendReport& report);

/// "40 runs until 2025-11-21, newest 40 (commit 3f2a91c)"; "no run".
[[nodiscard]] std::string runs_words(const TrendWorkload& workload);
/// "on NVIDIA H200, driver 580.65"; empty where it is not known.
[[nodiscard]] std::string place_words(const TrendWorkload& workload);

struct TrendCells {
  std::string level;
  std::string accepted;
  std::string change;
  std::string creep;  ///< "45.2 > 5.1": CUSUM over its threshold; "count"; "-" where not watched
  std::string runs;   ///< a sparkline of the newest ones
};
[[nodiscard]] TrendCells cells_of(const TrendMetric& metric, std::size_t most_runs);

/// A label and a sentence: steps of the level, what is not watched and why, improvements, runs that
/// failed, GPUs, notes.
struct TrendRemark {
  std::string label;
  std::string text;
};
[[nodiscard]] std::vector<TrendRemark> remarks_of(const TrendWorkload& workload);

}  // namespace perfgate::render
